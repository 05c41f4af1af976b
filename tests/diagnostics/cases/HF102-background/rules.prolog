vesselType(v1, tug).
initiatedAt(towing(V)=true, T) :- happensAt(slow_down(V), T), vesselType(V).
