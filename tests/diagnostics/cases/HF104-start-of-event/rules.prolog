initiatedAt(moored(V)=true, T) :- happensAt(start(stop_start(V)=true), T).
terminatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
