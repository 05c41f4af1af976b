dynamicDomain(phone(_)).
dynamicDomain(pair(_, _)).
grounding(line(P)=busy) :- phone(P).
initiatedAt(line(P)=busy, T) :- happensAt(dial(P, _), T).
