initiatedAt(slow(V)=true, T) :- happensAt(velocity(V), T), 3 > 5.
