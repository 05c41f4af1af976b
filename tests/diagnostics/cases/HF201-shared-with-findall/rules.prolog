% X is named by the head, so it is not local to the findall; V is, in both.
initiatedAt(crowded(X)=true, T) :-
    happensAt(look(Y), T),
    findall(V, holdsAt(inside(V,X)=true, T), Vs), length(Vs, N),
    findall(V, holdsAt(near(V,Y)=true, T), Ws), length(Ws, M),
    N > M.
