initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V, Since), T), holdsAt(inPort(V)=true, Since).
