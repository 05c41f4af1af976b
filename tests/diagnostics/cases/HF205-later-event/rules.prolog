initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), happensAt(ropes(V), T1), T1 > T.
