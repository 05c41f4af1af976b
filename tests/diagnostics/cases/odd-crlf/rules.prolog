initiatedAt(moored(V)=true, T) :-
    happensAt(stop_start(V), T)
    holdsAt(inPort(V)=true, T).
terminatedAt(moored(V)=true, T) :- happensAt(stop_end(V), T1).
