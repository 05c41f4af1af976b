initially(open(D)=true) :- happensAt(unlock(D), T).
