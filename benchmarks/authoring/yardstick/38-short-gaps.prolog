initiatedAt(stopped(M)=true, T) :- happensAt(halt(M), T).
terminatedAt(stopped(M)=true, T) :- happensAt(resume(M), T).
holdsFor(outOfOrder(M)=true, I) :- holdsFor(stopped(M)=true, I1), intDurGreater(I1, 4, I).
