initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
p(quote(M)=true).
