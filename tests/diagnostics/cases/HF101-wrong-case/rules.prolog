initiatedAt(moored(V)=true, T) :- happensat(stop_start(V), T).
