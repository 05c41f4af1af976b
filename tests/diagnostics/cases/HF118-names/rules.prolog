:- time_unit(s).
initiatedAt(quiet(Shop)=true, T) :-
    happensAt(closes(Shop), T),
    weekday(T, monday).
initiatedAt(late(Shop)=true, T) :-
    happensAt(closes(Shop), T),
    hour(T, 24).
