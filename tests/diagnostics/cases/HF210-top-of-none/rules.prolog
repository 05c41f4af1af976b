initiatedAt(best(I)=B, T) :- happensAt(close(I), T), top(0, P, bid(I, B, P), 60, T).
