initiatedAt(alone(A, B)=true, T) :- happensAt(stop_start(A), T), \+ holdsAt(close(A, B)=true, T).
