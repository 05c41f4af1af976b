% What a fleet operator wants to know about each vehicle on the road.

% --- high speed: above the limit that the operator set for this vehicle -----------

initiatedAt(highSpeed(Vehicle)=true, T) :-
    happensAt(speed(Vehicle, Speed), T),
    threshold(Vehicle, speed, Limit),
    Speed > Limit.

terminatedAt(highSpeed(Vehicle)=true, T) :-
    happensAt(speed(Vehicle, Speed), T),
    threshold(Vehicle, speed, Limit),
    Speed =< Limit.

% --- refuelling: near a station, wasting fuel, and less than half a tank left ------

initiatedAt(refuelOpportunity(Vehicle)=true, T) :-
    happensAt(closeToGas(Vehicle), T),
    holdsAt(highSpeed(Vehicle)=true, T),
    happensAt(fuelLevel(Vehicle, Litres), T),
    threshold(Vehicle, fuel, TankSize),
    Litres < TankSize / 2.

% The exact opposite of the last condition, so that no reading falls in between.
terminatedAt(refuelOpportunity(Vehicle)=true, T) :-
    happensAt(fuelLevel(Vehicle, Litres), T),
    threshold(Vehicle, fuel, TankSize),
    Litres >= TankSize / 2.

% --- the road, from the weather service that enriches the positions ----------------

initiatedAt(roadCondition(Vehicle)=icy, T) :-
    happensAt(weather(Vehicle, Celsius, _Rain), T),
    Celsius =< 0.

initiatedAt(roadCondition(Vehicle)=wet, T) :-
    happensAt(weather(Vehicle, Celsius, Rain), T),
    Celsius > 0,
    Rain > 0.

initiatedAt(roadCondition(Vehicle)=dry, T) :-
    happensAt(weather(Vehicle, Celsius, Rain), T),
    Celsius > 0,
    Rain =:= 0.

% --- dangerous driving: harsh manoeuvres that the road or the speed forbids --------

initiatedAt(dangerousDriving(Vehicle)=true, T) :-
    happensAt(abruptAcceleration(Vehicle), T),
    holdsAt(roadCondition(Vehicle)=icy, T).

initiatedAt(dangerousDriving(Vehicle)=true, T) :-
    happensAt(abruptCornering(Vehicle), T),
    holdsAt(highSpeed(Vehicle)=true, T).

% A parked vehicle is no danger; until then the warning stays on.
terminatedAt(dangerousDriving(Vehicle)=true, T) :-
    happensAt(engineOff(Vehicle), T).

terminatedAt(dangerousDriving(Vehicle)=true, T) :-
    happensAt(end(highSpeed(Vehicle)=true), T),
    \+ holdsAt(roadCondition(Vehicle)=icy, T).

% --- background ----------------------------------------------------------------------

threshold(van7, speed, 90).
threshold(van7, fuel, 60).
threshold(truck3, speed, 80).
threshold(truck3, fuel, 400).
