initiatedAt(meeting(A, B)=true, T) :- happensAt(met(A, B), T).
terminatedAt(meeting(A, B)=true, T) :- happensAt(leaves(A), T).
