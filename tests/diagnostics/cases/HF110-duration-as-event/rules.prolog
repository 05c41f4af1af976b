:- time_unit(s).
happensAt(30 min, T) :-
    happensAt(add(_), T).
