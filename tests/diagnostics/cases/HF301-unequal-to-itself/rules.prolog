initiatedAt(meeting(A, B)=true, T) :- happensAt(met(A, B), T), A \= A.
