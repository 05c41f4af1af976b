initiatedAt(T, moored(V)=true) :- happensAt(stop_start(V), T).
