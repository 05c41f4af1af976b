initiatedAt(mode(V)=off, T) :- happensAt(stops(V), T).
holdsFor(mode(V)=M, I) :- holdsFor(gear(V)=M, I).
