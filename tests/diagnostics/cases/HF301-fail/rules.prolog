initiatedAt(f(V)=true, T) :- happensAt(e(V), T), fail.
