initiatedAt(area(V)=‘Natura 2000’, T) :- happensAt(enters(V), T).
