holdsFor(free(V)=true, I) :-
    holdsFor(inPort(V)=true, I1), holdsFor(fishing(V)=true, I2), relative_complement_all([I1], [I2], I).
