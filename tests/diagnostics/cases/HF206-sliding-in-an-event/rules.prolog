initiatedAt(locked(U)=true, T) :- happensAt(checked(U, count_within(failed(U), 10, T)), T).
