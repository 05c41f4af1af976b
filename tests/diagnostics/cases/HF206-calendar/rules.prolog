:- time_unit(s).
initiatedAt(late(X)=true, T) :-
    happensAt(alarm(X), T),
    hour(T) > 18.
