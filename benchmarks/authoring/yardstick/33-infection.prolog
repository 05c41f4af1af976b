initiatedAt(ill(P)=true, T) :- happensAt(infected(P), T).
initiatedAt(ill(P)=true, T) :- happensAt(meets(P, Q), T), holdsAt(ill(Q)=true, T).
initiatedAt(ill(P)=true, T) :- happensAt(meets(Q, P), T), holdsAt(ill(Q)=true, T).
terminatedAt(ill(P)=true, T) :- happensAt(cured(P), T).
