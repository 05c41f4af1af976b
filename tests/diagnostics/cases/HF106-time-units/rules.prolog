:- time_units(s).
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
