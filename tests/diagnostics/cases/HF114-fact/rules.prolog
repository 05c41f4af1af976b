time_unit(s).
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
