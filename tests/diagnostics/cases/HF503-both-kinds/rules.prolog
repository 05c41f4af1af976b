initiatedAt(busy(V)=true, T) :- happensAt(nets_out(V), T).
holdsFor(busy(V)=true, I) :- holdsFor(towing(V)=true, I).
