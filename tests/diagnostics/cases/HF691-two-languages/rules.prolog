initiatedAt(busy(V)=true, T) :- happensAt(go(V), T).
