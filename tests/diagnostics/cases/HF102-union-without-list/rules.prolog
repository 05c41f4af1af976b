holdsFor(busy(V)=true, I) :-
    holdsFor(fishing(V)=true, I1), holdsFor(towing(V)=true, I2), union_all(I1, I2, I).
