initiatedAt(meeting(P, _Q)=false, T) :- happensAt(disappear(P), T).
initiatedAt(meeting(P, Q)=true, T) :- happensAt(greet(P, Q), T).
grounding(meeting(P, _)=true) :- id(P).
id(a).
