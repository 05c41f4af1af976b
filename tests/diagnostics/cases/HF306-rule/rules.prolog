initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
initiatedAt(moored(Vessel)=true, Time) :- happensAt(stop_start(Vessel), Time).
