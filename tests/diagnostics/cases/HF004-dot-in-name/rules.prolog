initiatedAt(moored(V)=true, T) :- happensAt(stop.start(V), T).
