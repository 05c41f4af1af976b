initiatedAt(late(Bus)=true, T) :- happensAt(arrive(Bus, Delay), T), Minutes := Delay / 60, Minutes > 5.
