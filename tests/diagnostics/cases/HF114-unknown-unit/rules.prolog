:- time_unit(fortnight).
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
