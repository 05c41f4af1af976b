initiatedAt(crowded(P)=true, T) :- happensAt(count(P), T), length(List, N), N > 3.
