% As expiring_quotes.prolog, but a merchant who repeats an offer renews it.

initiatedAt(quote(Merchant, Consumer, Goods)=true, T) :-
    happensAt(present_quote(Merchant, Consumer, Goods, _Price), T).

initiatedAt(quote(Merchant, Consumer, Goods)=false, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T).

fi(quote(Merchant, Consumer, Goods)=true,
   quote(Merchant, Consumer, Goods)=expiring, 10).
fi(quote(Merchant, Consumer, Goods)=expiring,
   quote(Merchant, Consumer, Goods)=false, 5).

% Only the first clock can be wound up again: nobody renews an offer that is
% already on its way out without making it a fresh one.
p(quote(_Merchant, _Consumer, _Goods)=true).
