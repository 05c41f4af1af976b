% Two feedback loops with delays. A simulation step is an event like any other:
% at each step the current state decides what begins to change, and the delays
% decide when the change is complete.

% --- immune response: a loop that calms itself ----------------------------------
% antigen present --> antibodies rise --> antigen cleared --> antibodies wane

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

% --- phage infection: a switch with two settings ---------------------------------
% Two genes become active with the virus. The protein of each switches the other
% gene off, and the faster one wins: the repressor keeps the virus asleep, the
% lytic protein lets it destroy the cell.

initiatedAt(gene(Cell, Gene)=on, T) :-
    happensAt(phage_enters(Cell), T),
    makes(Gene, _Protein).

initiatedAt(gene(Cell, Gene)=off, T) :-
    happensAt(step(Cell), T),
    suppresses(Protein, Gene),
    holdsAt(gene(Cell, Gene)=on, T),
    holdsAt(protein(Cell, Protein)=present, T).

initiatedAt(gene(Cell, Gene)=on, T) :-
    happensAt(step(Cell), T),
    suppresses(Protein, Gene),
    holdsAt(gene(Cell, Gene)=off, T),
    \+ holdsAt(protein(Cell, Protein)=present, T),
    \+ holdsAt(protein(Cell, Protein)=decaying, T).

initiatedAt(protein(Cell, Protein)=forming, T) :-
    happensAt(step(Cell), T),
    makes(Gene, Protein),
    holdsAt(gene(Cell, Gene)=on, T),
    \+ holdsAt(protein(Cell, Protein)=forming, T),
    \+ holdsAt(protein(Cell, Protein)=present, T).

% A gene that is switched off in the meantime cancels the pending protein.
initiatedAt(protein(Cell, Protein)=absent, T) :-
    happensAt(step(Cell), T),
    makes(Gene, Protein),
    holdsAt(protein(Cell, Protein)=forming, T),
    \+ holdsAt(gene(Cell, Gene)=on, T).

initiatedAt(protein(Cell, Protein)=decaying, T) :-
    happensAt(step(Cell), T),
    makes(Gene, Protein),
    holdsAt(protein(Cell, Protein)=present, T),
    \+ holdsAt(gene(Cell, Gene)=on, T).

% Ultraviolet light knocks the repressor's gene out for long enough to wake the
% virus up.
initiatedAt(gene(Cell, ci)=damaged, T) :-
    happensAt(uv_light(Cell), T).

fi(gene(Cell, ci)=damaged, gene(Cell, ci)=off, 24).
fi(protein(Cell, repressor)=forming, protein(Cell, repressor)=present, 3).
fi(protein(Cell, lytic)=forming, protein(Cell, lytic)=present, 8).
fi(protein(Cell, Protein)=decaying, protein(Cell, Protein)=absent, 4).

makes(ci, repressor).
makes(cro, lytic).

suppresses(repressor, cro).
suppresses(lytic, ci).
