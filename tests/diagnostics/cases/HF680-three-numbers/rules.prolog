holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    box_minus(I1, [0,5,10], I).
