holdsFor(together(A, B)=true, I) :-
    holdsFor(near(A, B)=true, I1),
    holdsFor(moving(B)=true, B),
    intersect_all([I1, B], I).
