initiatedAt(operator(M)=P, T) :- happensAt(takes(P, M), T).
terminatedAt(operator(M)=P, T) :- happensAt(leaves(P, M), T).
initiatedAt(runs(M)=true, T) :- happensAt(start_run(M), T).
terminatedAt(runs(M)=true, T) :- happensAt(end_run(M), T).
initiatedAt(attended(M)=true, T) :- happensAt(takes(_, M), T).
terminatedAt(attended(M)=true, T) :- happensAt(leaves(P, M), T), holdsAt(operator(M)=P, T), \+ happensAt(takes(_, M), T).
holdsFor(unattended(M)=true, I) :- holdsFor(runs(M)=true, I1), holdsFor(attended(M)=true, I2), relative_complement_all(I1, [I2], I).
