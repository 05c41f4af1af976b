areaType(harbour, nearPorts).
areaType(roads, anchorage).
areaType(bank, fishing).
areaType(reserve, natura).
areaType(shore, nearCoast).

vesselType(1, cargo).
vesselType(2, tanker).
vesselType(3, fishing).
vesselType(4, tug).
vesselType(5, pilot).
vesselType(6, sar).
vesselType(7, passenger).
vesselType(8, other).
vesselType(9, other).
