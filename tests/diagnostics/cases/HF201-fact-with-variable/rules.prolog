initiatedAt(cheap(Customer)=true, T) :- happensAt(offer(Price), T), price(Customer, Price).
price(_, 10).
