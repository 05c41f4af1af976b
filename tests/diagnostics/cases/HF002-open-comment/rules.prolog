initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
/* The rest is to be written.
terminatedAt(moored(V)=true, T) :- happensAt(stop_end(V), T).
