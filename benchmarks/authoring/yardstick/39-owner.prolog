initiatedAt(owner(A)=P, T) :- happensAt(buys(P, A), T).
initiatedAt(disputed(A)=true, T) :- happensAt(dispute(P, A), T), holdsAt(owner(A)=Q, T), P \= Q.
terminatedAt(disputed(A)=true, T) :- happensAt(settles(P, A), T), holdsAt(owner(A)=P, T).
