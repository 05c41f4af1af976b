initiatedAt(inside(V, P)=true, T) :- happensAt(enter(V, P), T).
terminatedAt(inside(V, P)=true, T) :- happensAt(leave(V, P), T).
happensAt(arrival(V, P), T) :- happensAt(enter(V, P), T), \+ holdsAt(inside(V, P)=true, T).
