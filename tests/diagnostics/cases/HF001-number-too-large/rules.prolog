initiatedAt(big(V)=true, T) :- happensAt(count(V, N), T), N > 1e999.
