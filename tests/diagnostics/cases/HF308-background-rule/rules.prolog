edge(a, b).
reach(X, Y) :- edge(X, Z), edge(W, Y).
initiatedAt(f(X)=true, T) :- happensAt(e(X), T), reach(X, _).
