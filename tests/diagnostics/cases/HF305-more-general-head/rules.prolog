terminatedAt(moored(_)=true, T) :- happensAt(storm, T).
terminatedAt(moored(v1)=true, T) :- happensAt(storm, T), happensAt(stop_end(v1), T).
initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
