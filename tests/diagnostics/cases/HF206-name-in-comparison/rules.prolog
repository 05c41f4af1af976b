initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed < low.
