initiatedAt(inside(V)=true, T) :- happensAt(checkIn(V), T).
terminatedAt(inside(V)=true, T) :- happensAt(checkOut(V), T).
initiatedAt(escorts(E, V)=true, T) :- happensAt(escort(E, V), T).
terminatedAt(escorts(E, V)=true, T) :- happensAt(stopEscort(E, V), T).
initiatedAt(escorted(V)=true, T) :- happensAt(escort(_, V), T).
terminatedAt(escorted(V)=true, T) :- happensAt(stopEscort(E, V), T), \+ (holdsAt(escorts(F, V)=true, T), F \= E).
holdsFor(alone(V)=true, I) :- holdsFor(inside(V)=true, I1), holdsFor(escorted(V)=true, I2), relative_complement_all(I1, [I2], I).
