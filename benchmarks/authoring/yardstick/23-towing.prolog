inputFluent(close(_, _)=_).
inputFluent(slow(_)=_).
holdsFor(tows(A, B)=true, I) :-
    holdsFor(close(A, B)=true, I1), holdsFor(slow(A)=true, I2), holdsFor(slow(B)=true, I3), intersect_all([I1, I2, I3], I).
