dynamicDomain(pair(_, _)).
grounding(dial(P, _)) :- pair(P, Q).
grounding(call(P, Q)=true) :- pair(P, Q).
initiatedAt(call(P, Q)=true, T) :- happensAt(dial(P, Q), T).
