initiatedAt(inArea(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(inArea(V,A)=true, T) :- happensAt(leaves(V,A), T).
holdsFor(outside(V)=true, I) :- holdsFor(inArea(V,bay)=true, I1), complement_all([I1], I).
forget(outside(V), 86400).
