:- time_unit(m).
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
