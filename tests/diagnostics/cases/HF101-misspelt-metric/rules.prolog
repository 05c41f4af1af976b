holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    diamond_minis(I1, [0,10], I).
