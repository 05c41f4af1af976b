old(T) :- queryTime(Q), Q - T > 5.
happensAt(late(X), T) :- happensAt(e(X), T), old(T).
