initiatedAt(paid(C)=true, T) :- happensAt(buy(C), T), linked(C, hub, T).
linked(A, B, T) :- holdsAt(near(A, B)=true, T).
linked(A, B, T) :- holdsAt(near(A, C)=true, T), linked(C, B, T).
