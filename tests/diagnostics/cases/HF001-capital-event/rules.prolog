initiatedAt(moored(V)=true, T) :- happensAt(StopStart(V), T).
