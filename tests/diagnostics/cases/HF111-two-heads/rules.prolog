initiatedAt(moored(V)=true, T), initiatedAt(stopped(V)=true, T) :- happensAt(stop_start(V), T).
