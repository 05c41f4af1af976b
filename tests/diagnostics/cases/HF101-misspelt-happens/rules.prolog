initiatedAt(moored(V)=true, T) :- hapensAt(stop_start(V), T).
