holdsFor(busy(V)=true, I) :- holdsFor(fishing(V)=true, I).
holdsFor(busy(V)=true, I) :- holdsFor(towing(V)=true, I).
