"""Pictures like those of the papers, and of how time grows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.suite.anchors import anchors
from benchmarks.suite.measure import Result
from benchmarks.suite.plots.panels import Panel, Points

Results = dict[str, Result]
WINDOW = "ms a window"


def _ours(results: Results, pattern: str, task: str = "reasoning") -> Points:
    """The time of a window by the number in the names of workloads."""
    found = []
    for name, result in results.items():
        if (match := re.fullmatch(pattern, name)) and task in result["tasks"]:
            times = result["tasks"][task]
            found.append((float(match[1]), times["cpu_ms"]["min"] / times["windows"]))
    return sorted(found)


def _theirs(results: Results, pattern: str, *systems: str) -> dict[str, Points]:
    """The same of other systems, as far as it is known."""
    found: dict[str, Points] = {}
    for name, result in results.items():
        if match := re.fullmatch(pattern, name):
            for anchor in anchors(name, result):
                if anchor.system in systems:
                    label = f"{anchor.system} ({anchor.source.partition(':')[0]})"
                    found.setdefault(label, []).append((float(match[1]), anchor.ms))
    return found


def papers(results: Results) -> Iterator[Panel]:
    """Delayed effects, quotes, situations at sea, people, and sequences."""
    postponed = {
        "NetBill, fixed": _ours(results, r"netbill-fixed-(\d+)"),
        "NetBill, postponed": _ours(results, r"netbill-postponed-(\d+)"),
        "voting": _ours(results, r"voting-fixed-(\d+)"),
    }
    yield Panel(
        "Delayed effects, windows by 10 time-points",
        "time-points in a window",
        WINDOW,
        {name: points for name, points in postponed.items() if points},
    )
    quotes, people, coast, sea = r"quotes-(\d+)", r"people-(\d+)", r"coast-(\d+)h", r"sea-(\d+)d"
    logica = _ours(results, r"peer-quotes-(\d+)", "Logica")
    yield Panel(
        "Quotes",
        "events",
        "ms",
        {"holdsfor": _ours(results, quotes)},
        {**({"Logica (same run)": logica} if logica else {}), **_theirs(results, quotes, "jREC-rbt", "s(CASP)")},
        log_across=True,
        log_up=True,
    )
    yield Panel(
        "Situations along a coast, windows by 2 h",
        "hours in a window",
        WINDOW,
        {"holdsfor": _ours(results, coast)},
        _theirs(results, coast, "RTEC→"),
        log_up=True,
    )
    yield Panel(
        "Situations at sea, with sequences",
        "days in a window",
        WINDOW,
        {"holdsfor": _ours(results, sea)},
        _theirs(results, sea, "RTEC_s"),
        log_across=True,
        log_up=True,
    )
    yield Panel(
        "People who meet, in a cycle",
        "events",
        "ms",
        {"holdsfor": _ours(results, people)},
        _theirs(results, people, "RTEC_fl", "jREC-rbt", "Fusemate"),
        log_up=True,
    )
    for title, pattern in (
        ("One sequence, 10,000 activities", r"sequence-(\d+)-10k"),
        ("One sequence, 50,000 activities", r"sequence-(\d+)-50k"),
        ("All its parts too, 10,000 activities", r"sequences-(\d+)-10k"),
    ):
        theirs = _theirs(results, pattern, "RTEC_s", "CORE")
        ours = {"holdsfor": _ours(results, pattern)}
        yield Panel(title, "activities in a row", "ms", ours, theirs, log_up=True)


OVERLAPPING = {
    **{f"overlapping-{delayed}": f"Voyages, {delayed} % delayed" for delayed in (5, 10, 20, 40, 80)},
    "overlapping-seas-5": "All vessels there, 5 % delayed",
    **{f"overlapping-fleet-{delayed}": f"A fleet, {delayed} % delayed" for delayed in (5, 40)},
}


def windows(results: Results) -> Iterator[Panel]:
    """Windows that overlap, from scratch and otherwise; and what late events cost."""
    ways = {"from scratch": "scratch", "by what changed": "changed"}
    for name, title in OVERLAPPING.items():
        if name in results:
            figures = results[name]["tasks"]["all windows"]["figures"]
            ours = {label: _numbered(figures, rf"{way}_(\d+)_ms") for label, way in ways.items()}
            yield Panel(title, "steps in a window", "ms a query", ours)
    if "late-events" in results:
        tasks = results["late-events"]["tasks"]
        ours = {way: _numbered(task["figures"], r"late_(\d+)_ms") for way, task in tasks.items()}
        yield Panel(
            "Late events in a window of a million", "late events", "ms a query", ours, log_across=True, log_up=True
        )


def _numbered(figures: dict[str, float], pattern: str) -> Points:
    return sorted((float(match[1]), value) for name, value in figures.items() if (match := re.fullmatch(pattern, name)))


def metric(results: Results) -> Iterator[Panel]:
    """Facts kept while a stream runs, and what each step takes."""
    for name, result in results.items():
        if name.startswith(("short-stop", "lubm")) and (series := result.get("series")):
            points = list(zip(series["time"], series["kept"], strict=True))
            yield Panel(result["title"], "time", "facts kept", {"": points}, has_marks=False)
    for name in ("short-stop-S1", "short-stop-S2"):
        if name in results and "step_ms" in results[name].get("series", {}):
            series = results[name]["series"]
            points = list(zip(series["time"], series["step_ms"], strict=True))
            yield Panel(f"{results[name]['title']}, time", "time, s", "ms a step", {"": points}, has_marks=False)


def growth(results: Results) -> Iterator[Panel]:
    """What grows with events, windows, vessels and rules; and on Spark."""
    events = _ours(results, r"maritime-(\d+)")
    yield Panel(
        "Eleven outputs, one window",
        "events",
        "ms",
        {"all outputs": events},
        log_across=True,
        log_up=True,
    )
    for title, across, pattern in (
        ("400,000 events in windows", "windows", r"maritime-windows-(\d+)"),
        ("400,000 events of vessels", "vessels", r"maritime-vessels-(\d+)"),
        ("100,000 events, more rules", "times the rules", r"maritime-copies-(\d+)"),
    ):
        points = [(number, ms * (number if "windows" in pattern else 1)) for number, ms in _ours(results, pattern)]
        yield Panel(title, across, "ms in all", {"": points}, log_across="vessels" in pattern)


PICTURES = {"papers": papers, "windows": windows, "metric": metric, "growth": growth}
