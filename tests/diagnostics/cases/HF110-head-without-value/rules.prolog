initiatedAt(moored(V), T) :- happensAt(stop_start(V), T).
