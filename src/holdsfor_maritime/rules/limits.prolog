% What the rules compare with: knots, seconds, degrees. Give a file of your own to change it.

threshold(movingMin, 0.5).
threshold(nearCoastMax, 5).

threshold(tuggingMin, 1.2).
threshold(tuggingMax, 15).
threshold(tuggingTime, 600).

threshold(trawlSpeedMin, 1).
threshold(trawlSpeedMax, 9).
threshold(trawlingPause, 1800).
threshold(trawlingTime, 2400).

threshold(sarSpeedMin, 2.7).
threshold(sarPause, 900).
threshold(sarTime, 1800).

threshold(driftAngle, 25).
threshold(driftMax, 5).
threshold(crawlingMax, 3).
threshold(rendezVousTime, 240).
threshold(boardingTime, 60).
threshold(loiteringTime, 3600).

% Service speeds by type of vessel: slowest and fastest that is usual.
typeSpeed(cargo, 9, 16).
typeSpeed(tanker, 8, 15).
typeSpeed(fishing, 3, 10).
typeSpeed(tug, 4, 12).
typeSpeed(pilot, 5, 25).
typeSpeed(passenger, 12, 26).
typeSpeed(sar, 6, 30).
typeSpeed(other, 5, 20).
