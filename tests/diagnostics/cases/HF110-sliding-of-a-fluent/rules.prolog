initiatedAt(flaky(D)=true, T) :- happensAt(check(D), T), count_within(up(D)=true, 60, T) > 3.
