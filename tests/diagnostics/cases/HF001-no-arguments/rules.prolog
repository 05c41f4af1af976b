initiatedAt(open=true, T) :- happensAt(unlock(), T).
