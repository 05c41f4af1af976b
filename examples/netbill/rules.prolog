% NetBill: digital goods are offered, bought and delivered under a contract.
% Four fluents, three components:
%   quote                  values chained by delays            level 1
%   permission             values on a cycle                   level 1
%   contract + suspended   each depends on the other           level 2

% --- quote: offers expire in two steps -------------------------------------

initiatedAt(quote(Merchant, Consumer, Goods)=true, T) :-
    happensAt(present_quote(Merchant, Consumer, Goods, _Price), T).

initiatedAt(quote(Merchant, Consumer, Goods)=false, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T).

fi(quote(Merchant, Consumer, Goods)=true,
   quote(Merchant, Consumer, Goods)=expiring, 10).
fi(quote(Merchant, Consumer, Goods)=expiring,
   quote(Merchant, Consumer, Goods)=false, 5).

% --- permission: may this merchant make this consumer an offer? ------------

initiatedAt(permission(Merchant, Consumer)=true, T) :-
    happensAt(request_quote(Consumer, Merchant, _Goods), T).

% One offer uses the permission up. Without the condition every unwanted offer
% would restart the pause below.
initiatedAt(permission(Merchant, Consumer)=false, T) :-
    happensAt(present_quote(Merchant, Consumer, _Goods, _Price), T),
    holdsAt(permission(Merchant, Consumer)=true, T).

% After a pause the merchant may try again: this closes the cycle.
fi(permission(Merchant, Consumer)=false,
   permission(Merchant, Consumer)=true, 4).

% --- contract: somebody accepted in time, and nobody involved is suspended --

initiatedAt(contract(Merchant, Consumer, Goods)=true, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T),
    holdsAt(quote(Merchant, Consumer, Goods)=true, T),
    \+ holdsAt(suspended(Merchant)=true, T),
    \+ holdsAt(suspended(Consumer)=true, T).

initiatedAt(contract(Merchant, Consumer, Goods)=true, T) :-
    happensAt(accept_quote(Consumer, Merchant, Goods), T),
    holdsAt(quote(Merchant, Consumer, Goods)=expiring, T),
    \+ holdsAt(suspended(Merchant)=true, T),
    \+ holdsAt(suspended(Consumer)=true, T).

initiatedAt(contract(Merchant, Consumer, Goods)=false, T) :-
    happensAt(settle(Merchant, Consumer, Goods), T).

fi(contract(Merchant, Consumer, Goods)=true,
   contract(Merchant, Consumer, Goods)=false, 12).

% --- suspended: the penalty, served for a fixed time ------------------------

initiatedAt(suspended(Merchant)=true, T) :-
    happensAt(present_quote(Merchant, Consumer, _Goods, _Price), T),
    \+ holdsAt(permission(Merchant, Consumer)=true, T).

% A breach can be reported only while there is a contract to breach.
initiatedAt(suspended(Offender)=true, T) :-
    happensAt(report_breach(Offender, Merchant, Consumer, Goods), T),
    holdsAt(contract(Merchant, Consumer, Goods)=true, T).

fi(suspended(Agent)=true, suspended(Agent)=false, 9).
