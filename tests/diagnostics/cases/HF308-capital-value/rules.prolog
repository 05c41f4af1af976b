initiatedAt(inPort(V)=true, T) :- happensAt(enters(V), T).
initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), holdsAt(inPort(V)=True, T).
