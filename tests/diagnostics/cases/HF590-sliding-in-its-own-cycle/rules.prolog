initiatedAt(open(D)=true, T) :- happensAt(push(D), T), count_within(squeak(D), 10, T) < 3.
terminatedAt(open(D)=true, T) :- happensAt(pull(D), T).
happensAt(squeak(D), T) :- happensAt(wind(D), T), holdsAt(open(D)=true, T).
