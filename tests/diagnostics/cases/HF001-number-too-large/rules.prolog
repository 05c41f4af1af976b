initiatedAt(big(V)=true, T) :- happensAt(count(V, N), T), N > 99999999999999999999.
