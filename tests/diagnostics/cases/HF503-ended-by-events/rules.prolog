holdsFor(busy(V)=true, I) :- holdsFor(towing(V)=true, I).
terminatedAt(busy(V)=_, T) :- happensAt(stops(V), T).
