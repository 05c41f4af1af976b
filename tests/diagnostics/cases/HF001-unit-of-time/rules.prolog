:- time_unit(s).
fi(cart(U)=active, cart(U)=abandoned, 30 m).
fi(cart(U)=active, cart(U)=abandoned, 30 Min).
fi(cart(U)=active, cart(U)=abandoned, 2 month).
fi(cart(U)=active, cart(U)=abandoned, 30 mintues).
