initiatedAt(best(I)=B, T) :- top(3, P, bid(I, B, P), 60, T), happensAt(close(I), T).
