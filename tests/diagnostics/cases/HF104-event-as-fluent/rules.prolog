initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
initiatedAt(waiting(V)=true, T) :- happensAt(enters(V), T), holdsAt(stop_start(V)=true, T).
