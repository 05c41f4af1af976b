initiatedAt(rich(U)=true, T) :- happensAt(paid(U, _), T), sum_within(Amount, paid(U, Paid), 10, T) >= 3, Paid > 1.
