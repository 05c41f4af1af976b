thresholds(walk, 80).
