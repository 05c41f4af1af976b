initially(load(b, left)=0).
initially(load(b, right)=0).
initiatedAt(load(B, L)=W, T) :- happensAt(weight(B, L, W), T).
other(left, right).
other(right, left).
initiatedAt(overloaded(B)=true, T) :- happensAt(weight(B, L, W), T), other(L, M), holdsAt(load(B, M)=V, T), V + W > 40.
terminatedAt(overloaded(B)=true, T) :- happensAt(weight(B, L, W), T), other(L, M), holdsAt(load(B, M)=V, T), V + W =< 40.
