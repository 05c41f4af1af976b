holdsFor(f(V)=true, I) :- holdsFor(g(V)=true, I), \+ holdsFor(h(V)=true, I2).
