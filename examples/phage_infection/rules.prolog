% A virus enters a bacterium. Two of its genes become active, and the protein of each
% switches the other gene off. The faster one wins: the repressor keeps the virus
% asleep, the lytic protein lets it destroy the cell.
% At each simulation step the present state decides what begins to change, and the
% delays decide when the change is complete.

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
