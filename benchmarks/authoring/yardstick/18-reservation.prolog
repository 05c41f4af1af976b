initiatedAt(heldFor(S)=P, T) :- happensAt(reserve(S, P), T).
terminatedAt(heldFor(S)=P, T) :- happensAt(cancel(S, P), T).
fi(heldFor(S)=P, heldFor(S)=nobody, 15) :- P \= nobody.
holdsFor(reserved(S)=P, I) :- holdsFor(heldFor(S)=P, I), P \= nobody.
