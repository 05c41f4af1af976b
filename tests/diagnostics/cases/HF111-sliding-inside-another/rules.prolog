initiatedAt(odd(U)=true, T) :- happensAt(paid(U, _), T), sum_within(count_within(failed(U), 5, T), paid(U, _), 10, T) > 3.
