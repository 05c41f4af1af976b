holdsAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
