initiatedAt(status(M)=open, T) :- happensAt(opens(M), T).
initiatedAt(seen(_P, M)=true, T) :- happensAt(opens(M), T).
holdsFor(power(propose(_P, M))=true, I) :- holdsFor(status(M)=open, I).
grounding(status(M)=open) :- motion(M).
motion(m1).
