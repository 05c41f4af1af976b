holdsFor(f(V)=true, I) :- holdsFor(g(V)=true, I1), holdsFor(h(V)=true, I2), before(I1, I2, sorce, I).
