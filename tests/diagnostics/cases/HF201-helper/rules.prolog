initiatedAt(close(V)=true, T) :- happensAt(stop_start(V), T), slow(V, T).
slow(V, T) :- holdsAt(speed(V)=S, T), S < Limit.
