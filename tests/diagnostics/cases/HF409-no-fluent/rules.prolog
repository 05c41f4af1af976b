initiatedAt(inArea(V,A)=true, T) :- happensAt(enters(V,A,_), T).
terminatedAt(inArea(V,A)=true, T) :- happensAt(leaves(V,A), T).
forget(enters(_,_,Port), 86400).
