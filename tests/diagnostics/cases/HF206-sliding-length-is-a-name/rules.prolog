initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(failed(U), ten, T) >= 3.
