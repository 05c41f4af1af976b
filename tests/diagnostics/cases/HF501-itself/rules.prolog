holdsFor(busy(V)=true, I) :- holdsFor(busy(V)=true, I1), holdsFor(fishing(V)=true, I2), union_all([I1, I2], I).
