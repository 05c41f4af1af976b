holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    box_plus(I1, [inf,inf], I).
