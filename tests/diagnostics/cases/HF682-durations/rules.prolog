:- time_unit(s).
holdsFor(recent(X)=true, I) :-
    holdsFor(stopped(X)=true, I1),
    diamond_minus(I1, [1 h,10 min], I).
