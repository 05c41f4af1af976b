:- time_unit.
:- time_zone('Europe/Athens', winter).
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
