limit(cart, 30 min).
initiatedAt(cart(U)=active, T) :-
    happensAt(add(U), T).
fi(cart(U)=active, cart(U)=abandoned, Limit) :-
    limit(cart, Limit).
