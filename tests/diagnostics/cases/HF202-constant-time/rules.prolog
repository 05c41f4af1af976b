initiatedAt(moored(V)=true, t) :- happensAt(stop_start(V), t).
