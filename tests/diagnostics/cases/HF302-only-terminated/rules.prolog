terminatedAt(moored(V)=true, T) :- happensAt(stop_end(V), T).
