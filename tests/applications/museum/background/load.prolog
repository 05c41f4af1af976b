:- multifile room/1.
:- dynamic closed/1.

:- ['./rooms/first_floor.prolog', './rooms/second_floor.prolog'].
:- consult('thresholds').
:- ensure_loaded(helpers).
