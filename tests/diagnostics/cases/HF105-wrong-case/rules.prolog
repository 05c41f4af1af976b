holdsfor(busy(V)=true, I) :- holdsFor(fishing(V)=true, I).
