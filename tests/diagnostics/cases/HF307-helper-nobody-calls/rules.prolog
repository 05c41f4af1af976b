slow(V, T) :- holdsAt(speed(V)=S, T), S < 5.
initiatedAt(close(V)=true, T) :- happensAt(stop_start(V), T).
