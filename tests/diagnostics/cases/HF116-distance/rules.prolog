holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    diamond_minus(I1, [0,10 min], I).
