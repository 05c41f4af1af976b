initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
