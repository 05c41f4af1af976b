initiatedAt(best(I)=B, T) :- happensAt(bid(I, B, P), T), top(3, P, bid(I, B, P), 60, T).
