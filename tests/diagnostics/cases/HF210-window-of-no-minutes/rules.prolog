:- time_unit(s).
initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), count_within(failed(U), 0 min, T) >= 3.
