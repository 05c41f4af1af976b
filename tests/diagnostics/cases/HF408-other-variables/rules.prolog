initiatedAt(inArea(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(inArea(V,A)=true, T) :- happensAt(leaves(V,A), T).
forget([enters(V,_), leaves(W,_)], 86400).
