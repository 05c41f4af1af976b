initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, S), T), S * 1.852 is Kmh, Kmh > 60.
