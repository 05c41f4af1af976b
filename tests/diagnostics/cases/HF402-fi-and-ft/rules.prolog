initiatedAt(quote(M)=open, T) :- happensAt(offer(M), T).
fi(quote(M)=open, quote(M)=closed, 20).
ft(quote(M)=open, 10).
