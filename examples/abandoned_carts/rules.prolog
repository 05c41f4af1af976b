% Times are seconds since 1970; people read them in Athens.
:- time_unit(s).
:- time_zone('Europe/Athens').

% Half an hour after the last thing that was added, a cart counts as abandoned.
initiatedAt(cart(User)=active, T) :- happensAt(added(User,_Product,_Amount), T).
fi(cart(User)=active, cart(User)=abandoned, 30 min).
p(cart(User)=active).

terminatedAt(cart(User)=active, T) :- happensAt(ordered(User,_Total,_First), T).
terminatedAt(cart(User)=abandoned, T) :- happensAt(ordered(User,_Total,_First), T).

% More than 500 euros within an hour.
initiatedAt(valuable(User)=true, T) :-
    happensAt(added(User,_Product,_Amount), T),
    sum_within(Amount, added(User,_,Amount), 1 h, T) > 500.
terminatedAt(valuable(User)=true, T) :- happensAt(ordered(User,_Total,_First), T).

% The third payment within ten minutes that does not go through.
initiatedAt(struggling(User)=true, T) :-
    happensAt(payment_failed(User), T),
    count_within(payment_failed(User), 10 min, T) >= 3.
terminatedAt(struggling(User)=true, T) :- happensAt(ordered(User,_Total,_First), T).

% Five products in a quarter of an hour, and none of them in the cart.
happensAt(undecided(User), T) :-
    happensAt(viewed(User,_Product), T),
    distinct_within(Product, viewed(User,Product), 15 min, T) >= 5,
    count_within(added(User,_,_), 15 min, T) =:= 0.

% What the shop does. Gold customers are called while somebody is there, ...
happensAt(call(User), T) :-
    happensAt(start(cart(User)=abandoned), T),
    customer(User, gold, _Country),
    business_hours(T, 9 h, 18 h).

% ... all others get a letter about the most expensive thing in their cart.
happensAt(remind(User,Product), T) :-
    happensAt(start(cart(User)=abandoned), T),
    \+ happensAt(call(User), T),
    top(1, Amount, added(User,Product,Amount), 2 h, T).
