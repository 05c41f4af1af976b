% A committee votes. What agents can do (pow), may do (per) and must do (obl)
% follows from the stage a motion has reached and from the clock.

% --- the stages of a motion --------------------------------------------------
% Each stage is reached from the one before, so the values of one fluent depend
% on each other.

initially(status(Motion)=null) :- motion(Motion).

initiatedAt(status(Motion)=proposed, T) :-
    happensAt(propose(Agent, Motion), T),
    role_of(Agent, voter),
    holdsAt(status(Motion)=null, T).

initiatedAt(status(Motion)=voting, T) :-
    happensAt(second(Agent, Motion), T),
    role_of(Agent, voter),
    holdsAt(status(Motion)=proposed, T).

initiatedAt(status(Motion)=voted, T) :-
    happensAt(close_ballot(Agent, Motion), T),
    role_of(Agent, chair),
    holdsAt(status(Motion)=voting, T).

initiatedAt(status(Motion)=null, T) :-
    happensAt(declare(Agent, Motion, _Outcome), T),
    role_of(Agent, chair),
    holdsAt(status(Motion)=voted, T).

% Nothing stays on the table for ever: a motion that nobody seconds is dropped,
% a ballot that nobody closes closes itself, a result that nobody declares lapses.
fi(status(Motion)=proposed, status(Motion)=null, 10).
fi(status(Motion)=voting, status(Motion)=voted, 12).
fi(status(Motion)=voted, status(Motion)=null, 14).

% --- power: which actions count ----------------------------------------------

holdsFor(pow(propose(Agent, Motion))=true, I) :-
    role_of(Agent, voter),
    holdsFor(status(Motion)=null, I).

holdsFor(pow(second(Agent, Motion))=true, I) :-
    role_of(Agent, voter),
    holdsFor(status(Motion)=proposed, I).

holdsFor(pow(vote(Agent, Motion))=true, I) :-
    role_of(Agent, voter),
    holdsFor(status(Motion)=voting, I).

holdsFor(pow(close_ballot(Agent, Motion))=true, I) :-
    role_of(Agent, chair),
    holdsFor(status(Motion)=voting, I).

holdsFor(pow(declare(Agent, Motion))=true, I) :-
    role_of(Agent, chair),
    holdsFor(status(Motion)=voted, I).

% --- votes --------------------------------------------------------------------
% A later vote replaces the earlier one because the values exclude each other.

initiatedAt(voted(Agent, Motion)=Choice, T) :-
    happensAt(vote(Agent, Motion, Choice), T),
    holdsAt(pow(vote(Agent, Motion))=true, T).

terminatedAt(voted(_Agent, Motion)=_Choice, T) :-
    happensAt(start(status(Motion)=null), T).

% --- permission: the chair has the power to close at once, but may not ---------

initiatedAt(per(close_ballot(Chair, Motion))=false, T) :-
    happensAt(start(status(Motion)=voting), T),
    role_of(Chair, chair).

fi(per(close_ballot(Chair, Motion))=false,
   per(close_ballot(Chair, Motion))=true, 5).

terminatedAt(per(close_ballot(_Chair, Motion))=_Allowed, T) :-
    happensAt(end(status(Motion)=voting), T).

% --- obligation: once the ballot is closed the chair must declare the result ---

initiatedAt(obl(declare(Chair, Motion, carried))=true, T) :-
    happensAt(start(status(Motion)=voted), T),
    role_of(Chair, chair),
    findall(For, holdsAt(voted(For, Motion)=aye, T), Ayes),
    findall(Against, holdsAt(voted(Against, Motion)=nay, T), Nays),
    length(Ayes, AyeCount),
    length(Nays, NayCount),
    AyeCount > NayCount.

initiatedAt(obl(declare(Chair, Motion, not_carried))=true, T) :-
    happensAt(start(status(Motion)=voted), T),
    role_of(Chair, chair),
    findall(For, holdsAt(voted(For, Motion)=aye, T), Ayes),
    findall(Against, holdsAt(voted(Against, Motion)=nay, T), Nays),
    length(Ayes, AyeCount),
    length(Nays, NayCount),
    AyeCount =< NayCount.

fi(obl(declare(Chair, Motion, Outcome))=true,
   obl(declare(Chair, Motion, Outcome))=violated, 8).

terminatedAt(obl(declare(Chair, Motion, Outcome))=_Standing, T) :-
    happensAt(declare(Chair, Motion, Outcome), T).

terminatedAt(obl(declare(_Chair, Motion, _Outcome))=_Standing, T) :-
    happensAt(start(status(Motion)=null), T).

% --- sanctions ------------------------------------------------------------------

initiatedAt(sanctioned(Chair)=true, T) :-
    happensAt(close_ballot(Chair, Motion), T),
    holdsAt(pow(close_ballot(Chair, Motion))=true, T),
    \+ holdsAt(per(close_ballot(Chair, Motion))=true, T).

initiatedAt(sanctioned(Chair)=true, T) :-
    happensAt(start(obl(declare(Chair, _Motion, _Outcome))=violated), T).

% A chair who announces anything but the count is out of order, late or not.
initiatedAt(sanctioned(Chair)=true, T) :-
    happensAt(declare(Chair, Motion, Outcome), T),
    holdsAt(pow(declare(Chair, Motion))=true, T),
    \+ holdsAt(obl(declare(Chair, Motion, Outcome))=_Standing, T).

% ft only ends the sanction; there is no value that says "not sanctioned".
ft(sanctioned(_Chair)=true, 6).

% --- the committee ----------------------------------------------------------------

motion(budget).
motion(statute).
motion(merger).
motion(picnic).

role_of(vera, chair).
role_of(amy, voter).
role_of(ben, voter).
role_of(cleo, voter).
role_of(dirk, voter).
