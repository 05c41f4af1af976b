initiatedAt(crowded(P)=true, T) :-
    happensAt(count(P), T),
    findall(V, holdsAt(inPort(V, P)=true, T), List),
    length(List), List \= [].
