initiatedAt(wet(V)=true, T) :- happensAt(storm, T), vessel(V).
terminatedAt(wet(V)=true, T) :- happensAt(calm, T), vessel(V).
vessel(aurora).
forget(vessel(V), 86400).
