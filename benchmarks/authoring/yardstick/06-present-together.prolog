initiatedAt(in(P, R)=true, T) :- happensAt(comes(P, R), T).
terminatedAt(in(P, R)=true, T) :- happensAt(goes(P, R), T).
holdsFor(together(P, Q, R)=true, I) :-
    holdsFor(in(P, R)=true, I1), holdsFor(in(Q, R)=true, I2), P @< Q, intersect_all([I1, I2], I).
