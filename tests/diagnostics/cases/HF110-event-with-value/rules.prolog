initiatedAt(inPort(V)=true, T) :- happensAt(enters(V), T).
initiatedAt(moored(V)=true, T) :- happensAt(inPort(V)=true, T).
