vesselType(v1, tug).
initiatedAt(f(V)=true, T) :- happensAt(e(V), T), vesselType(V, trawler).
