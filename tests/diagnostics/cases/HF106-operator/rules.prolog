:- op(700, xfx, leadsTo).
:- style_check(-singleton).
:- set_prolog_flag(double_quotes, codes).
:- discontiguous initiatedAt/2, terminatedAt/2.
:- multifile port/1.
:- use_module(library(lists)).
:- [library(apply)].
:- module(rules, [near/1]).
initiatedAt(near(V)=true, T) :- happensAt(enters(V, A), T), port(A).
port(brest).
