initiatedAt(rendezvous(A, B)=true, T) :-
    happensAt(stop_start(A), T),
    Distance < Limit,
    \+ holdsAt(inPort(C)=true, T),
    holdsAt(tug(C)=true, T).
