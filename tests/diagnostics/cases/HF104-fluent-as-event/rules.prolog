initiatedAt(stopped(V)=true, T) :- happensAt(stop_start(V), T).
initiatedAt(moored(V)=true, T) :- happensAt(stopped(V), T).
