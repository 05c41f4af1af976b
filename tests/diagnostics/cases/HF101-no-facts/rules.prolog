initiatedAt(towing(V)=true, T) :- happensAt(slow_down(V), T), tug(V).
