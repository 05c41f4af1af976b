initiatedAt(locked(U)=true, T) :- happensAt(failed(U), T), patience(U, D), count_within(failed(U), D, T) >= 3.
patience(ann, 10).
patience(bob, 20).
