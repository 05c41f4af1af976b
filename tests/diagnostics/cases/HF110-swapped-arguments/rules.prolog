initiatedAt(moored(V)=true, T) :- happensAt(T, stop_start(V)).
