initiatedAt(stopped(V)=true, T) :- happensAt(stop(V), T).
terminatedAt(stopped(V)=true, T) :- happensAt(move(V), T).
holdsFor(longStop(V)=true, I) :- holdsFor(stopped(V)=true, I1), intDurGreater(I1, 30, I).
