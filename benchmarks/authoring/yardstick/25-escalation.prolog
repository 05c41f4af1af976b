initiatedAt(ticket(I)=new, T) :- happensAt(open_ticket(I), T).
terminatedAt(ticket(I)=_, T) :- happensAt(close_ticket(I), T).
fi(ticket(I)=new, ticket(I)=urgent, 10).
fi(ticket(I)=urgent, ticket(I)=critical, 10).
