holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    diamond_minus(I1, [10,0], I).
