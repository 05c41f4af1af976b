% Times are seconds since 1970; people read them in Berlin.
:- time_unit(s).
:- time_zone('Europe/Berlin').

% sensors.csv has rows sensor(Sensor, Area, Limit, Clear): an alarm begins above the limit and ends below clear.
initiatedAt(high(Sensor)=true, T) :-
    happensAt(reading(Sensor,Value), T),
    sensor(Sensor, _Area, Limit, _Clear),
    Value > Limit.
terminatedAt(high(Sensor)=true, T) :-
    happensAt(reading(Sensor,Value), T),
    sensor(Sensor, _Area, _Limit, Clear),
    Value < Clear.

% Somebody has to see to an alarm within ten minutes.
initiatedAt(alarm(Sensor)=raised, T) :- happensAt(start(high(Sensor)=true), T).
fi(alarm(Sensor)=raised, alarm(Sensor)=overdue, 10 min).
initiatedAt(alarm(Sensor)=acknowledged, T) :-
    happensAt(acknowledged(_Operator,Sensor), T),
    holdsAt(high(Sensor)=true, T).
terminatedAt(alarm(Sensor)=_, T) :- happensAt(end(high(Sensor)=true), T).

% Whom to page about it: the engineer while there is one, else whoever is on call.
happensAt(page(engineer,Sensor), T) :- happensAt(start(alarm(Sensor)=overdue), T), business_hours(T).
happensAt(page(on_call,Sensor), T) :- happensAt(start(alarm(Sensor)=overdue), T), \+ business_hours(T).

% A sensor that reports nothing for a quarter of an hour is silent.
initiatedAt(link(Sensor)=up, T) :- happensAt(reading(Sensor,_Value), T).
fi(link(Sensor)=up, link(Sensor)=silent, 15 min).
p(link(Sensor)=up).

% Not high yet, but the mean of the last twenty minutes comes close.
initiatedAt(drifting(Sensor)=true, T) :-
    happensAt(reading(Sensor,_Value), T),
    sensor(Sensor, _Area, Limit, _Clear),
    avg_within(Value, reading(Sensor,Value), 20 min, T) > 0.92 * Limit.
terminatedAt(drifting(Sensor)=true, T) :-
    happensAt(reading(Sensor,_Value), T),
    sensor(Sensor, _Area, Limit, _Clear),
    avg_within(Value, reading(Sensor,Value), 20 min, T) =< 0.92 * Limit.

% Over the limit for the third time within an hour; this is over after an hour without another time.
happensAt(raised(Area,Sensor), T) :- happensAt(start(high(Sensor)=true), T), sensor(Sensor, Area, _Limit, _Clear).
initiatedAt(chattering(Sensor)=true, T) :-
    happensAt(raised(Area,Sensor), T),
    count_within(raised(Area,Sensor), 1 h, T) >= 3.
fi(chattering(Sensor)=true, chattering(Sensor)=false, 1 h).
p(chattering(Sensor)=true).

% Three sensors of one area within ten minutes are more than an operator can look at.
initiatedAt(flood(Area)=true, T) :-
    happensAt(raised(Area,_Sensor), T),
    distinct_within(Sensor, raised(Area,Sensor), 10 min, T) >= 3.
terminatedAt(flood(Area)=true, T) :-
    happensAt(reading(Sensor,_Value), T),
    sensor(Sensor, Area, _Limit, _Clear),
    count_within(raised(Area,_), 10 min, T) =:= 0.
