initiatedAt(inPort(V, P)=true, T) :- happensAt(enters(V, P), T).
initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), holdsAt(inPort(V)=true, T).
