initiatedAt(f(X)=W, T) :- happensAt(e(X,V), T), W = V + 1.
