holdsFor(moored(V)=true, I) :- happensAt(stop_start(V), T), holdsFor(inPort(V)=true, I).
