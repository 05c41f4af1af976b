initiatedAt(inArea(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(inArea(V,A)=true, T) :- happensAt(leaves(V,A), T).
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V,S), T), S > 20.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V,S), T), S =< 20.
forget(velocity(V,_), 86400).
