initiatedAt(in(S, K)=true, T) :- happensAt(turn(S, K), T).
terminatedAt(in(S, K)=true, T) :- happensAt(remove(S, K), T).
holdsFor(open(S)=true, I) :- holdsFor(in(S, gold)=true, I1), holdsFor(in(S, silver)=true, I2), intersect_all([I1, I2], I).
