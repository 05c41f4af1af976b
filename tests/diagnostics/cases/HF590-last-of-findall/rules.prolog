initiatedAt(f(X)=N,T) :- happensAt(e(X),T), findall(Y, happensAt(g(X,Y),T), L), last(L,N).
