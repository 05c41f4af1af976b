tug(v1).
tug(v2).
tug(v1).
initiatedAt(towing(V)=true, T) :- happensAt(slow_down(V), T), tug(V).
