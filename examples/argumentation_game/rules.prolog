% Two players argue in turns. A turn ends when the player yields or when the time
% is up, whichever comes first.

initiatedAt(turn(Game)=proponent, T) :-
    happensAt(opens(Game), T).

initiatedAt(turn(Game)=opponent, T) :-
    happensAt(yields(proponent, Game), T),
    holdsAt(turn(Game)=proponent, T).

initiatedAt(turn(Game)=proponent, T) :-
    happensAt(yields(opponent, Game), T),
    holdsAt(turn(Game)=opponent, T).

% Each delay starts the clock of the other: a circle of delayed effects.
fi(turn(Game)=proponent, turn(Game)=opponent, 8).
fi(turn(Game)=opponent, turn(Game)=proponent, 6).

terminatedAt(turn(Game)=_Player, T) :-
    happensAt(closes(Game), T).

% --- what is said counts only if it is said in turn ------------------------------

initiatedAt(premise(Game, Claim)=held, T) :-
    happensAt(claims(Player, Game, Claim), T),
    holdsAt(turn(Game)=Player, T).

initiatedAt(premise(Game, Claim)=disputed, T) :-
    happensAt(denies(Player, Game, Claim), T),
    holdsAt(turn(Game)=Player, T),
    holdsAt(premise(Game, Claim)=held, T).

terminatedAt(premise(Game, Claim)=_Standing, T) :-
    happensAt(retracts(Player, Game, Claim), T),
    holdsAt(turn(Game)=Player, T).

% Interrupting costs a player the respect of the audience, for a while.
initiatedAt(rude(Game, Player)=true, T) :-
    happensAt(claims(Player, Game, _Claim), T),
    \+ holdsAt(turn(Game)=Player, T).

ft(rude(_Game, _Player)=true, 10).
