initiatedAt(late(X)=true, T) :- happensAt(e(X), T), queryTime(Q), Q - T > 5.
