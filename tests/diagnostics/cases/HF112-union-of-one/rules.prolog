holdsFor(busy(V)=true, I) :- holdsFor(fishing(V)=true, I1), union_all(I1, I).
