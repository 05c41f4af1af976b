initiatedAt(moored(V)=True, T) :- happensAt(stop_start(V), T).
