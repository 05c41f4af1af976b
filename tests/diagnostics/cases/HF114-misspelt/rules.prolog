:- time_unit(secnds), time_zone('Europe/Athen').
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
