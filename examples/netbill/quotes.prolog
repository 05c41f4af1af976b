% An offer stands from the moment it is made until somebody takes it.

initiatedAt(quote(Merchant, Consumer, Goods)=true, T) :-
    happensAt(present_quote(Merchant, Consumer, Goods, _Price), T).

initiatedAt(quote(Merchant, Consumer, Goods)=false, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T).

% Accepting both uses up the offer and seals the deal. That works because
% conditions are read at T, when the offer still stands.
initiatedAt(contract(Merchant, Consumer, Goods)=true, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T),
    holdsAt(quote(Merchant, Consumer, Goods)=true, T).
