initiatedAt(area(V)='Natura 2000, T) :- happensAt(enters(V), T).
terminatedAt(area(V)=_, T) :- happensAt(leaves(V), T).
