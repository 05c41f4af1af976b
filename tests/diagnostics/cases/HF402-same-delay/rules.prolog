initiatedAt(quote(M)=open, T) :- happensAt(offer(M), T).
fi(quote(M)=open, quote(M)=closed, 10).
fi(quote(M)=open, quote(M)=void, 10).
