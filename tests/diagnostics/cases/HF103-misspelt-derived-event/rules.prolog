happensAt(turn(V), T) :- happensAt(heading(V, Change), T), Change > 30.
initiatedAt(suspicious(V)=true, T) :- happensAt(trun(V), T).
