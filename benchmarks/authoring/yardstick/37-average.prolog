happensAt(slow(R), T) :- happensAt(speed(R, _), T), A is avg_within(S, speed(R, S), 20, T), A < 30.
