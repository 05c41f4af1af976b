initiatedAt(rendezvous(A, B)=true, T) :- happensAt(stop_start(A), T).
