initiatedAt(lost(V)=true, T) :- vessel(V), \+ happensAt(signal(V), T).
vessel(v1).
