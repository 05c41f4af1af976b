% An attack has a plot: get something onto the machine, gain rights, take the
% data away. Each scene alone is noise that a sensor reports many times a day.

% tactic is an input fluent. The sensors report one tactic per host at a time, so
% its values never overlap and may be put in sequence.

holdsFor(foothold(Host)=true, I) :-
    holdsFor(tactic(Host)=content_injection, Injected),
    holdsFor(tactic(Host)=privilege_escalation, Escalated),
    seq(Injected, Escalated, I).

holdsFor(theft(Host)=true, I) :-
    holdsFor(foothold(Host)=true, Foothold),
    holdsFor(tactic(Host)=exfiltration, Exfiltrated),
    seq(Foothold, Exfiltrated, I).

% Attackers move on: from the machine they own to one that it can reach.
holdsFor(spread(Host, Next)=true, I) :-
    reaches(Host, Next),
    holdsFor(tactic(Host)=privilege_escalation, EscalatedHere),
    holdsFor(tactic(Next)=content_injection, InjectedThere),
    seq(EscalatedHere, InjectedThere, I).

% --- what to do about it ----------------------------------------------------------
% A sequence is known when its last part is seen, so its end is the moment to act.

initiatedAt(quarantined(Host)=true, T) :-
    happensAt(end(theft(Host)=true), T).

terminatedAt(quarantined(Host)=true, T) :-
    happensAt(reinstalled(Host), T).

% --- background ---------------------------------------------------------------------

reaches(web, database).
reaches(web, mail).
reaches(mail, database).
