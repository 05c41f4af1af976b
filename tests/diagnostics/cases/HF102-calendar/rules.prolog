:- time_unit(s).
initiatedAt(open(Shop)=true, T) :-
    happensAt(unlock(Shop), T),
    hour(T).
