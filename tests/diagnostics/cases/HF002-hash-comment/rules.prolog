# Mooring: a vessel that stops in a port.
initiatedAt(moored(V)=true, T) :- happensAt(stop_start(V), T).
