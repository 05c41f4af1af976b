happensAt(departure(C), T) :- terminatedAt(inside(C)=true, T).
initiatedAt(seen(C)=true, T) :- happensAt(start(inside(C)=true), T).
