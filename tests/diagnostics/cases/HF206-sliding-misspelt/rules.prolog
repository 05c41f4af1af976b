initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_witin(failed(U), 10, T) >= 3.
