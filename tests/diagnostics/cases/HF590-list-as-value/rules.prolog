initiatedAt(top(M)=V, T) :-
    happensAt(close(M), T), findall(X, holdsAt(score(M, X)=true, T), Xs), sort(Xs, Ys), Ys = [V|_].
initiatedAt(all(M)=Xs, T) :- happensAt(close(M), T), findall(X, holdsAt(score(M, X)=true, T), Xs).
initiatedAt(score(M, X)=true, T) :- happensAt(hit(M, X), T).
