initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
ft(quote(M)=true, tomorrow).
