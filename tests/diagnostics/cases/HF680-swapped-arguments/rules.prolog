holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    holdsFor(alarm(X)=true, I2),
    since(I1, I2, [0,10], I).
