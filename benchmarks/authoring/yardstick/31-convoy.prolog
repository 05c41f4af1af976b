initiatedAt(underWay(V)=true, T) :- happensAt(depart(V), T).
terminatedAt(underWay(V)=true, T) :- happensAt(arrive(V), T).
initiatedAt(near(V, W)=true, T) :- happensAt(meet(V, W), T).
terminatedAt(near(V, W)=true, T) :- happensAt(part(V, W), T).
holdsFor(convoy(V, W)=true, I) :-
    holdsFor(near(V, W)=true, I1), holdsFor(underWay(V)=true, I2), holdsFor(underWay(W)=true, I3), intersect_all([I1, I2, I3], I).
