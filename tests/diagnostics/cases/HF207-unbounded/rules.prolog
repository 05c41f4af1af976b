initiatedAt(return(V)=true, T) :- happensAt(enters(V), T), happensAt(leaves(V), T0), T0 < T.
