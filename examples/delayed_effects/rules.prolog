% Three kinds of lease, granted and revoked by the same events, so that one stream
% shows what each declaration does; and passes, which share their last value.

% --- fixed: lapses ten time-points after it began -----------------------------

initiatedAt(fixed(Item)=running, T) :-
    happensAt(grant(Item), T).

terminatedAt(fixed(Item)=running, T) :-
    happensAt(revoke(Item), T).

fi(fixed(Item)=running, fixed(Item)=lapsed, 10).

% --- renewable: lapses ten time-points after the last grant ---------------------

initiatedAt(renewable(Item)=running, T) :-
    happensAt(grant(Item), T).

terminatedAt(renewable(Item)=running, T) :-
    happensAt(revoke(Item), T).

fi(renewable(Item)=running, renewable(Item)=lapsed, 10).
p(renewable(_Item)=running).

% --- forgotten: ends like a fixed one, but leaves no value behind ----------------
% Choose ft when nothing is known afterwards, fi when the new value is known.

initiatedAt(forgotten(Item)=running, T) :-
    happensAt(grant(Item), T).

terminatedAt(forgotten(Item)=running, T) :-
    happensAt(revoke(Item), T).

ft(forgotten(_Item)=running, 10).

% --- two ways to the same end: day and week passes expire into one value ---------

initiatedAt(pass(Owner)=day, T) :-
    happensAt(buys_day_pass(Owner), T).

initiatedAt(pass(Owner)=week, T) :-
    happensAt(buys_week_pass(Owner), T).

fi(pass(Owner)=day, pass(Owner)=expired, 4).
fi(pass(Owner)=week, pass(Owner)=expired, 12).
