initiatedAt(inPort(V)=true, T) :- happensAt(enters(V, _), T).
terminatedAt(inPort(V, P)=true, T) :- happensAt(leaves(V, P), T).
