holdsFor(f(V)=true, I) :- holdsFor(g(V)=true, I1), holdsFor(h(V)=true, I2), allen(bfore, I1, I2, source, I).
