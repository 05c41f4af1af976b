% The immune response of a vertebrate: a feedback loop with delays, which calms itself.
%   antigen present --> antibodies rise --> antigen cleared --> antibodies wane
% A simulation step is an event like any other: at each step the present state decides
% what begins to change, and the delays decide when the change is complete.

initiatedAt(antigen(Host)=present, T) :-
    happensAt(infection(Host), T).

initiatedAt(antigen(Host)=absent, T) :-
    happensAt(step(Host), T),
    holdsAt(antigen(Host)=present, T),
    holdsAt(antibodies(Host)=high, T).

% Without the negated conditions a host full of antibodies would start from
% scratch at every step, and a step at the very moment when the rise is complete
% would undo it.
initiatedAt(antibodies(Host)=rising, T) :-
    happensAt(step(Host), T),
    holdsAt(antigen(Host)=present, T),
    \+ holdsAt(antibodies(Host)=rising, T),
    \+ holdsAt(antibodies(Host)=high, T).

fi(antibodies(Host)=rising, antibodies(Host)=high, 6).

initiatedAt(antibodies(Host)=waning, T) :-
    happensAt(step(Host), T),
    holdsAt(antigen(Host)=absent, T),
    holdsAt(antibodies(Host)=high, T).

fi(antibodies(Host)=waning, antibodies(Host)=low, 9).
