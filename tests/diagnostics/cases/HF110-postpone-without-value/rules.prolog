initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
fi(quote(M)=true, quote(M)=false, 10).
p(quote(M)).
