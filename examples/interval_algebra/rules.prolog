% The three ways to combine lists of intervals. a and b are input fluents; a case
% name tells the small worked examples in the stream apart.

holdsFor(either(Case)=true, I) :-
    holdsFor(a(Case)=true, Ia),
    holdsFor(b(Case)=true, Ib),
    union_all([Ia, Ib], I).

holdsFor(both(Case)=true, I) :-
    holdsFor(a(Case)=true, Ia),
    holdsFor(b(Case)=true, Ib),
    intersect_all([Ia, Ib], I).

holdsFor(only_a(Case)=true, I) :-
    holdsFor(a(Case)=true, Ia),
    holdsFor(b(Case)=true, Ib),
    relative_complement_all(Ia, [Ib], I).

holdsFor(only_b(Case)=true, I) :-
    holdsFor(a(Case)=true, Ia),
    holdsFor(b(Case)=true, Ib),
    relative_complement_all(Ib, [Ia], I).

% The same as only_a and only_b together, built the long way: an answer can be
% an argument of the next operation.
holdsFor(exactly_one(Case)=true, I) :-
    holdsFor(either(Case)=true, Either),
    holdsFor(both(Case)=true, Both),
    relative_complement_all(Either, [Both], I).
