initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), enters_port(V).
terminatedAt(moored(V)=true, T) :- happensAt(enters_port(V), T).
