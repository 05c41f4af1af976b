initiatedAt(locked(U)=true, T) :- happensAt(check, T), count_within(failed(U), 10, T) >= 3.
