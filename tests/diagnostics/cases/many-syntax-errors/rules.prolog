% Every clause but the last is broken in a way of its own.
initiatedAt(a(X)=true, T) :- happensAt(e(X) T).
initiatedAt(b(X)=true, T) :- happensAt(e(X), T), X =< 3,.
initiatedAt(c(X)=true, T) :- happensAt(e(X), T
initiatedAt(d(X)=true, T) :- happensAt(e(X), T), X != 3.
initiatedAt(e(X)=true, T) :- happensAt(e(X), T) & X > 3.
initiatedAt(f(X)=true, T) :- happensAt(E(X), T).
initiatedAt(g(X)=true, T) :- happensAt(e(X), T).
