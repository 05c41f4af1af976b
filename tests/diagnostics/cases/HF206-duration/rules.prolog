holdsFor(long(V)=true, I) :- holdsFor(stopped(V)=true, I1), intDurGreater(I1, hour, I).
