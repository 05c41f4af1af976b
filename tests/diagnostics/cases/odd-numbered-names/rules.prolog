happensAt(sensor1(X), T) :- happensAt(raw(X, V), T), V > 5.
initiatedAt(alarm(X)=true, T) :- happensAt(sensor1(X), T).
initiatedAt(alert(X)=true, T) :- happensAt(sensor2(X), T).
