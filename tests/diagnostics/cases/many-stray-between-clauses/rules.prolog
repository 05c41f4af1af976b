initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
?
terminatedAt(moored(V)=true, T) :- happensAt(stop_end(V), T) holdsAt(inPort(V)=true, T).
