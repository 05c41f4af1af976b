initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(failed(U), 10, T).
