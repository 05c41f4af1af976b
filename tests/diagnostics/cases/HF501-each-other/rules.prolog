holdsFor(busy(V)=true, I) :- holdsFor(working(V)=true, I).
holdsFor(working(V)=true, I) :- holdsFor(busy(V)=true, I).
