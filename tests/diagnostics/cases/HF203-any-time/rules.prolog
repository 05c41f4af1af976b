initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), happensAt(enters(V), _).
