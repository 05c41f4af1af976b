initiatedAt(μηχανή(Πλοίο)=αναμμένη, T) :- happensAt(εκκίνηση(Πλοίο), T).
terminatedAt(μηχανή(Πλοίο)=σβηστή, T) :- happensAt(παύση(Πλοίο), T).
initiatedAt(船(X)=進行, T) :- happensAt(出港(X), T), X = Y.
