initiatedAt(speed(V)=S, T) :- happensAt(velocity(V), T).
