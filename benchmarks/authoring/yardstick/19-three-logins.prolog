happensAt(attack(A), T) :- happensAt(failed(A), T), N is count_within(failed(A), 10, T), N >= 3.
