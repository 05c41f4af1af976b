initiatedAt(down(D)=true, T) :- happensAt(fails(D), T).
terminatedAt(down(D)=true, T) :- happensAt(works(D), T).
initiatedAt(flaky(D)=true, T) :- happensAt(fails(D), T), count_within(down(D), 60, T) >= 3.
