initiatedAt(lost(V)=true, T) :- happensAt(gap(V), T).
terminatedAt(lost(V)=true, T) :- happensAt(signal(V), T).
initiatedAt(last(V)=A, T) :- happensAt(enter(V, A), T).
holdsFor(area(V)=A, I) :- holdsFor(last(V)=A, I1), A \= unknown, holdsFor(lost(V)=true, I2), relative_complement_all(I1, [I2], I).
holdsFor(area(V)=unknown, I) :- holdsFor(lost(V)=true, I).
