% What the broken clauses mention is not reported as missing.
initiatedAt(inPort(V)=true, T) :- happensAt(enters(V), T)), port(V).
terminatedAt(inPort(V)=true, T) :- happensAt(leaves(V), T).
initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T), vessel(V), holdsAt(inPort(V)=true, T).
vessel(v1.
