initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), holdsFor(inPort(V)=true, I).
