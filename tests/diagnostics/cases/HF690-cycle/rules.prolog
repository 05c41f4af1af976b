initiatedAt(moving(V)=true, T) :- happensAt(go(V), T), \+ holdsAt(tired(V)=true, T).
terminatedAt(moving(V)=true, T) :- happensAt(stop(V), T).
