"""Explanations of the numbers of a report."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor_maritime.report.findings import Findings
from holdsfor_maritime.report.quality import SituationScore

_NOTICED = 60.0
"""Seconds of lag that are worth a word: about the time between two reports."""

_REASONS = {
    "anchoredOrMoored": "A vessel at rest reports every few minutes only, so a stop is noticed late.",
    "drifting": "It ends with the first report whose course agrees with the heading.",
    "fishingTrip": "By the rules a trip lasts from berth to berth; by the generator it begins when the port is left behind.",
    "gap": "A silence begins with the last report, which is older than the moment at which the signal was lost.",
    "loitering": "Being slow counts from the first slow report on. Idling for less than an hour is not loitering by the rules.",
    "pilotBoarding": "Two vessels are near each other as soon as they come within the distance of the signals, not when they meet.",
    "rendezVous": "It counts once both have reported that they hardly move, and places are compared every two minutes.",
    "sar": "The spell begins with the first change of course or speed, and ends some time after the last one.",
    "trawling": "The spell begins with the first turn on the grounds, not when the nets go out.",
    "tugging": "Two vessels that keep together at the pace of a tow count, whether there is a line between them or not.",
}


def duration(seconds: float) -> str:
    """A duration in words.

    >>> duration(45), duration(150), duration(5400)
    ('45 s', '2.5 min', '1.5 h')
    """
    size = abs(seconds)
    if size < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.3g} min" if size < 5400 else f"{seconds / 3600:.3g} h"


def quality_lead() -> str:
    """The definitions of recall and precision in this report."""
    return (
        "The generator wrote down what its vessels did. By time: recall is the part of that time which the rules found, "
        "precision the part of the time they found in which it was so. By count: an interval counts if at least half of it "
        "was found, or was so. Reports come one or two minutes apart, so no border can be found more exactly than that, and "
        "short situations lose most by it."
    )


def why(score: SituationScore) -> str:
    """Why recall and precision are not 1: what was measured, and how the rules work."""
    found = []
    if score.missed:
        longest = f", the longest of {duration(score.missed_longest)}"
        found.append(f"{score.missed} missed{longest}.")
    if score.spurious:
        found.append(f"{score.spurious} found where nothing of the kind was meant to happen.")
    lags = [
        f"{what} {duration(abs(lag))} {'late' if lag > 0 else 'early'}"
        for what, lag in (("begins", score.start_lag), ("ends", score.end_lag))
        if abs(lag) >= _NOTICED
    ]
    if lags:
        found.append(f"Typically {' and '.join(lags)}.")
    if found and score.situation in _REASONS:
        found.append(_REASONS[score.situation])
    return " ".join(found) or "Agrees within the time between two reports."


def made_by(findings: Findings) -> Iterator[tuple[str, str]]:
    """The counts and seconds of the run, as pairs of a name and a text."""
    yield "Data set", str(findings.dataset)
    yield "Engine", str(findings.run["engine"])
    yield "Time", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in findings.seconds.items())
    yield "Signals", ", ".join(f"{name} {number:,}" for name, number in sorted(findings.signals.items()))
    dropped = ", ".join(f"{name} {number:,}" for name, number in findings.dropped.items() if number)
    yield "Reports set aside", dropped or "none"
