initiatedAt(paid(C)=true, T) :- happensAt(buy(C), T).
grounding(paid(C)=true) :- car(C).
car(C) :- happensAt(enter(C), _T).
