holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    limit(X, Most),
    diamond_minus(I1, [0,Most], I).
limit(a, 10).
