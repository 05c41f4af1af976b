initiatedAt(state(M)=S, T) :- happensAt(report(M, S), T).
initiatedAt(fresh(M)=true, T) :- happensAt(report(M, S), T), \+ holdsAt(state(M)=S, T).
fi(fresh(M)=true, fresh(M)=false, 3).
p(fresh(M)=true).
happensAt(flicker(M), T) :- happensAt(report(M, S), T), holdsAt(state(M)=R, T), R \= S, holdsAt(fresh(M)=true, T).
