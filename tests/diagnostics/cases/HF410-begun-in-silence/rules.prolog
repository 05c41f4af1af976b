initiatedAt(inArea(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(inArea(V,A)=true, T) :- happensAt(leaves(V,A), T).
initiatedAt(wet(V)=true, T) :- happensAt(storm, T), vessel(V).
terminatedAt(wet(V)=true, T) :- happensAt(enters(V,harbour), T).
vessel(aurora).
forget(enters(V,_), 86400).
