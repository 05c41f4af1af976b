level(0).
level(N) :- level(M), N is M + 1.
initiatedAt(f(X)=true, T) :- happensAt(e(X), T), level(X).
