initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(start(locked(U)=true), 10, T) < 2.
terminatedAt(locked(U)=true, T) :- happensAt(reset(U), T).
