initiatedAt(failures(U)=N, T) :- happensAt(failed(U), T), count_within(failed(U), 10, T, N).
