kind(l1, heavy).
kind(l2, light).
limit(heavy, 80).
limit(light, 100).
initiatedAt(tooFast(L)=true, T) :- happensAt(speed(L, S), T), kind(L, K), limit(K, M), S > M.
terminatedAt(tooFast(L)=true, T) :- happensAt(speed(L, S), T), kind(L, K), limit(K, M), S =< M.
