initiatedAt(best(I)=B, T) :- happensAt(close(I), T), top(3, bid(I, B, P), 60, T).
