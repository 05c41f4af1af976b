initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Speed, Heading), T), Speed < 5.
