initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Speed), T), Sped < 5.
