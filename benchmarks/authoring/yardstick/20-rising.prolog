initiatedAt(last(K)=L, T) :- happensAt(level(K, L), T).
happensAt(rises(K), T) :- happensAt(level(K, L), T), holdsAt(last(K)=M, T), L > M.
