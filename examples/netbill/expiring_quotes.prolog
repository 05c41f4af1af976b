% Offers that nobody takes grow old: first a warning, then the end.

initiatedAt(quote(Merchant, Consumer, Goods)=true, T) :-
    happensAt(present_quote(Merchant, Consumer, Goods, _Price), T).

initiatedAt(quote(Merchant, Consumer, Goods)=false, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T).

% A chain: the first delayed effect starts the clock of the second.
fi(quote(Merchant, Consumer, Goods)=true,
   quote(Merchant, Consumer, Goods)=expiring, 10).
fi(quote(Merchant, Consumer, Goods)=expiring,
   quote(Merchant, Consumer, Goods)=false, 5).
