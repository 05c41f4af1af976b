:- time_unit(s).
:- time_unit(ms).
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
