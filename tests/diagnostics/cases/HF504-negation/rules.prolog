number(1).
odd(X) :- number(X), \+ odd(X).
initiatedAt(f(X)=true, T) :- happensAt(e(X), T), odd(X).
