:- time_unit(s).
initiatedAt(cart(U)=old, T) :-
    happensAt(add(U), T),
    30 min.
