:- include('rules.prolog').
initiatedAt(near(V)=true, T) :- happensAt(enters(V, A), T), port(A).
port(brest).
