initiatedAt(moored(V)=true, T) :-
    vessel(V),
    (happensAt(stop_start(V), T) ; holdsAt(anchored(V)=true, T)).
vessel(v1).
