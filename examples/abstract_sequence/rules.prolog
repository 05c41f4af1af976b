% Three activities in a row, and every shorter row inside. a1, a2 and a3 are input
% fluents: their intervals come with the stream.

holdsFor(a1_then_a2(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2(Id)=true, I2),
    seq(I1, I2, I).

holdsFor(a2_then_a3(Id)=true, I) :-
    holdsFor(a2(Id)=true, I2),
    holdsFor(a3(Id)=true, I3),
    seq(I2, I3, I).

% The long row reuses a short one, from the left or from the right. The brackets
% make no difference to the answer, so the rarer pair may be computed first.
holdsFor(all_three_from_left(Id)=true, I) :-
    holdsFor(a1_then_a2(Id)=true, I12),
    holdsFor(a3(Id)=true, I3),
    seq(I12, I3, I).

holdsFor(all_three_from_right(Id)=true, I) :-
    holdsFor(a1(Id)=true, I1),
    holdsFor(a2_then_a3(Id)=true, I23),
    seq(I1, I23, I).
