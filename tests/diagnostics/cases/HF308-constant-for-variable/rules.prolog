initiatedAt(moored(vessel)=true, T) :- happensAt(stop_start(Vessel), T).
