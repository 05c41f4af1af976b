holdsFor(load(V)=full, I) :- holdsFor(load(V)=empty, I1), complement_all([I1], I).
holdsFor(load(V)=empty, I) :- holdsFor(load(V)=full, I1), complement_all([I1], I).
