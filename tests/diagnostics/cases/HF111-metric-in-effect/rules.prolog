initiatedAt(recent(X)=true, T) :-
    happensAt(stop(X), T),
    diamond_minus(I1, [0,10], I).
