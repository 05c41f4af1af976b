initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(happensAt(failed(U), T0), 10, T) >= 3.
