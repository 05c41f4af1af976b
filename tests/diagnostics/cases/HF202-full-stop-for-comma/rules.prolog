initiatedAt(moored(V)=true, T) :-
    holdsAt(inPort(V)=true, T).
    happensAt(stop_start(V), T).
