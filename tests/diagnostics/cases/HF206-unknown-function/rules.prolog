initiatedAt(far(V)=true, T) :- happensAt(pos(V, X, Y), T), D is squareRoot(X*X + Y*Y), D > 100.
