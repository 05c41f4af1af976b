initiatedAt(hot(P)=true, T) :- happensAt(temperature(P, C), T), C >= 80.
terminatedAt(hot(P)=true, T) :- happensAt(temperature(P, C), T), C < 60.
