initiatedAt(best(I)=B, T) :- happensAt(close(I), T), leads(I, B, T).
leads(I, B, T) :- top(1, P, bid(I, B, P), 60, T).
