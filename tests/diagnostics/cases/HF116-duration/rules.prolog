initiatedAt(cart(U)=active, T) :-
    happensAt(add(U), T).
fi(cart(U)=active, cart(U)=abandoned, 30 min).
fi(cart(U)=abandoned, cart(U)=lost, 1 d).
