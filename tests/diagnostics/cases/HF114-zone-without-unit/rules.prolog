:- time_zone('Europe/Athens').
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
