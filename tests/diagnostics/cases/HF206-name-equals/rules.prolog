initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Class), T), Class =:= low.
