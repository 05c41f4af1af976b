:- nonsense(foo).
:- dynamic(port/1), write(hello).
:- initialization(main).
initiatedAt(near(V)=true, T) :- happensAt(enters(V, A), T), port(A).
