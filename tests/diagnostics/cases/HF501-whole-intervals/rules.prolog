initiatedAt(fishing(V)=true, T) :- happensAt(nets_out(V), T), \+ holdsAt(tired(V)=true, T).
terminatedAt(fishing(V)=true, T) :- happensAt(nets_in(V), T).
holdsFor(tired(V)=true, I) :- holdsFor(fishing(V)=true, I1), intDurGreater(I1, 100, I).
