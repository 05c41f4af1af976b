initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(failed(U), 10 min, T) >= 3.
