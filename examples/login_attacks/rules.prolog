% Somebody guesses passwords until one fits, and then becomes root. Each line of the log
% is harmless alone: people mistype passwords, and administrators use sudo.

% --- counting: failures from one address, never more than a minute apart ----------------
% The value of a fluent is a number that grows. It stops at five, which is enough to
% know, so the state stays small however long somebody tries.

initiatedAt(failures(Host, Address)=1, T) :-
    happensAt(failed(Host, _User, Address), T),
    \+ holdsAt(failures(Host, Address)=_Count, T).

initiatedAt(failures(Host, Address)=Next, T) :-
    happensAt(failed(Host, _User, Address), T),
    holdsAt(failures(Host, Address)=Count, T),
    Next is min(Count + 1, 5).

% A minute without a failure, and the count is forgotten. Every new count starts a new
% minute by itself; p lets further failures at five do so too.
ft(failures(_Host, _Address)=_Count, 60).
p(failures(_Host, _Address)=5).

terminatedAt(failures(Host, Address)=_Count, T) :-
    happensAt(accepted(Host, _User, Address), T).

holdsFor(guessing(Host, Address)=true, I) :-
    holdsFor(failures(Host, Address)=5, I).

% --- the login that ends the guessing is no ordinary login -------------------------------
% The value says where the intruder came from.

initiatedAt(intruder(Host, User)=Address, T) :-
    happensAt(accepted(Host, User, Address), T),
    holdsAt(failures(Host, Address)=5, T).

terminatedAt(intruder(Host, User)=_Address, T) :-
    happensAt(logout(Host, User), T).

% --- and whoever then becomes root owns the machine ----------------------------------------

initiatedAt(owned(Host)=Address, T) :-
    happensAt(sudo(Host, User, _Command), T),
    holdsAt(intruder(Host, User)=Address, T).

terminatedAt(owned(Host)=_Address, T) :-
    happensAt(reinstalled(Host), T).

happensAt(alarm(Host, Address), T) :-
    happensAt(start(owned(Host)=Address), T).
