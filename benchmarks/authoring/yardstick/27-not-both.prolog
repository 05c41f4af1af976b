initiatedAt(ordered(V)=S, T) :- happensAt(order(V, S), T).
initiatedAt(reported(V)=S, T) :- happensAt(report(V, S), T).
holdsFor(conflict(V)=true, I) :- holdsFor(ordered(V)=open, I1), holdsFor(reported(V)=shut, I2), intersect_all([I1, I2], I).
