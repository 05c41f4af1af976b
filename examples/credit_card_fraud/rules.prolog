% The same card pays here and, too soon after, far away: nobody travels that fast.

% A payment shows where the card is, and for a while we go on believing it. Each
% further payment in the same city extends that belief.
initiatedAt(seenIn(Card, City)=true, T) :-
    happensAt(payment(Card, City, _Amount), T).

ft(seenIn(_Card, _City)=true, 10).
p(seenIn(_Card, _City)=true).

% A payment elsewhere refutes it. This also keeps the parts of the sequence below
% apart, as seq requires.
terminatedAt(seenIn(Card, City)=true, T) :-
    happensAt(payment(Card, Elsewhere, _Amount), T),
    distant(Elsewhere, City).

% The whole story, from the first payment here to the last there, has to be short:
% given time enough, people do travel.
holdsFor(impossibleJourney(Card, From, To)=true, I) :-
    distant(From, To),
    holdsFor(seenIn(Card, From)=true, Here),
    holdsFor(seenIn(Card, To)=true, There),
    seq(Here, There, HereThenThere),
    intDurLess(HereThenThere, 30, I).

% Small amounts first, then a big one: a stolen card is tried out before it is used.
initiatedAt(spending(Card)=small, T) :-
    happensAt(payment(Card, _City, Amount), T),
    Amount < 5.

initiatedAt(spending(Card)=ordinary, T) :-
    happensAt(payment(Card, _City, Amount), T),
    Amount >= 5,
    Amount < 500.

initiatedAt(spending(Card)=big, T) :-
    happensAt(payment(Card, _City, Amount), T),
    Amount >= 500.

ft(spending(_Card)=big, 3).

holdsFor(testedThenUsed(Card)=true, I) :-
    holdsFor(spending(Card)=small, Small),
    holdsFor(spending(Card)=big, Big),
    seq(Small, Big, SmallThenBig),
    intDurLess(SmallThenBig, 20, I).

% --- background -----------------------------------------------------------------

% How far apart two cities are follows from where they are: a degree is 111 kilometres,
% and degrees of longitude get shorter towards the poles.
distant(X, Y) :-
    place(X, LatX, LonX),
    place(Y, LatY, LonY),
    North is LatX - LatY,
    East is (LonX - LonY) * cos((LatX + LatY) / 2 * pi / 180),
    111 * sqrt(North ** 2 + East ** 2) > 1000.

place(athens, 38.0, 23.7).
place(lima, -12.0, -77.0).
place(oslo, 59.9, 10.8).
place(patras, 38.2, 21.7).
