thresholds(walk, 80).
thresholds(near, 3).
