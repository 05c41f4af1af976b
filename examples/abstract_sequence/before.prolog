% Why `before` is not enough to say "one after the other": here the brackets do
% matter, whatever the mode. For each mode the same three activities are combined
% from the left and from the right.

holdsFor(source_from_left(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    allen(before, I1, I2, source, I12),
    allen(before, I12, I3, source, I).

holdsFor(source_from_right(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    allen(before, I2, I3, source, I23),
    allen(before, I1, I23, source, I).

holdsFor(target_from_left(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    allen(before, I1, I2, target, I12),
    allen(before, I12, I3, target, I).

holdsFor(target_from_right(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    allen(before, I2, I3, target, I23),
    allen(before, I1, I23, target, I).

holdsFor(union_from_left(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    allen(before, I1, I2, union, I12),
    allen(before, I12, I3, union, I).

holdsFor(union_from_right(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    allen(before, I2, I3, union, I23),
    allen(before, I1, I23, union, I).
