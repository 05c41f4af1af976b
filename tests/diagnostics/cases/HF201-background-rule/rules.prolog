pos(v1, 3).
near(V) :- pos(V, P), P < Limit.
initiatedAt(close(V)=true, T) :- happensAt(stop_start(V), T), near(V).
