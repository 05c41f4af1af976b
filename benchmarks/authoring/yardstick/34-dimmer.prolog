initially(level(x)=0).
initiatedAt(level(L)=N, T) :- happensAt(up(L), T), holdsAt(level(L)=M, T), M < 3, N is M + 1.
initiatedAt(level(L)=N, T) :- happensAt(down(L), T), holdsAt(level(L)=M, T), M > 0, N is M - 1.
