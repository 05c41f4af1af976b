:- time_unit(min).
initiatedAt(cart(U)=active, T) :-
    happensAt(add(U), T).
fi(cart(U)=active, cart(U)=abandoned, 90 s).
