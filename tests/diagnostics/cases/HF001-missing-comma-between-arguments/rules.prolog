initiatedAt(moored(Vessel)=true T) :- happensAt(stop_start(Vessel), T).
