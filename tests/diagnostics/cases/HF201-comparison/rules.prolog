initiatedAt(slow(V)=true, T) :- happensAt(velocity(V), T), Speed < 5.
