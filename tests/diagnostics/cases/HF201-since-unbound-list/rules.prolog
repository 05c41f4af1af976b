holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    since(I1, [0,10], I2, I).
