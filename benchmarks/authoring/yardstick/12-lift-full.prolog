initially(count(a)=0).
initiatedAt(count(L)=N, T) :- happensAt(enter(L), T), holdsAt(count(L)=M, T), N is M + 1.
initiatedAt(count(L)=1, T) :- happensAt(enter(L), T), \+ holdsAt(count(L)=_, T).
initiatedAt(count(L)=N, T) :- happensAt(leave(L), T), holdsAt(count(L)=M, T), M > 0, N is M - 1.
initiatedAt(full(L)=true, T) :- happensAt(enter(L), T), holdsAt(count(L)=M, T), M >= 2.
terminatedAt(full(L)=true, T) :- happensAt(leave(L), T), holdsAt(count(L)=M, T), M =< 3.
