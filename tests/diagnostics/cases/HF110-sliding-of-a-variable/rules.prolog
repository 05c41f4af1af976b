initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(E, 10, T) >= 3.
