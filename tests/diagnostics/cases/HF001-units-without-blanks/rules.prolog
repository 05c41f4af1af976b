:- time_unit(s).
fi(cart(U)=active, cart(U)=abandoned, 1h30min).
