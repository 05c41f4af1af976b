initiatedAt(failures(U)=count_within(failed(U), 10, T), T) :- happensAt(failed(U), T).
