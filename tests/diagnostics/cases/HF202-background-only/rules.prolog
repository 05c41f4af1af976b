tug(v1).
initiatedAt(towing(V)=true, T) :- tug(V).
