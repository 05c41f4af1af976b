vesselType(v1, tug).
initiatedAt(towing(V)=true, T) :- happensAt(slow_down(V, Other), T), vesselType(Othr, tug).
