:- time_unit(s).
holdsFor(early(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    diamond_minus(I1, [-10 min,0], I).
