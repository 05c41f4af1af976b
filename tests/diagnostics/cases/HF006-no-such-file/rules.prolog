:- include('nosuch.prolog').
:- ['first.prolog', nosuch/second].
:- consult('third').
:- ensure_loaded("fourth.pl").
initiatedAt(near(V)=true, T) :- happensAt(enters(V, A), T), port(A).
