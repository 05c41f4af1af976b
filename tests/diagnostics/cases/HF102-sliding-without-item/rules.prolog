initiatedAt(rich(U)=true, T) :- happensAt(paid(U, _), T), sum_within(paid(U, A), 10, T) >= 3.
