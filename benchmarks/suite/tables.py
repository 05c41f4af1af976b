"""Results as text: a line, a table, two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.suite.anchors import anchors, goals, loading_ms
from benchmarks.suite.measure import Result

NOTICEABLE = 1.15
"""A ratio of two runs beyond which a change is flagged."""


def line(name: str, result: Result) -> str:
    """What came of one workload."""
    if "error" in result:
        return f"    {name} FAILED: {result['error']}"
    tasks = [f"{task} {_times(found)}" for task, found in result["tasks"].items()]
    beside = [f"{anchor.ratio(result):.0f}× {anchor.system}" for anchor in anchors(name)]
    return f"    {'; '.join([*tasks, *beside])}; {result['rss_mb']:.0f} MB"


def _times(found: Result) -> str:
    figures = "".join(f", {name} {value:.3g}" for name, value in found.get("figures", {}).items())
    return f"{number(found['cpu_ms']['min'])} ms{figures}"


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(run: Result) -> str:
    """All results of a run as Markdown."""
    lines = [*_heading(run), "", *_all(run)]
    # What was made small cannot be held against figures of the whole.
    return "\n".join(lines if run["quick"] else [*lines, "", *_beside(run), "", *_goals(run)])


def _heading(run: Result) -> Iterator[str]:
    machine, versions = run["machine"], run["versions"]
    words = ", ".join(f"{name} {version}" for name, version in versions.items())
    yield f"{run['date']}; {machine['processor']}, {machine['cores']} cores; load {run['load'][0]:.1f} at first; {words}; commit {run['commit']}."
    setting = run["settings"]["NPY_DISABLE_CPU_FEATURES"]
    why = f" (NPY_DISABLE_CPU_FEATURES={setting!r})" if setting else ""
    yield f"NumPy sorts by {run['sorts_by']}{why}."


def _all(run: Result) -> Iterator[str]:
    yield "| workload | task | events | intervals | windows | CPU, ms: least | median | clock, ms: least | median | peak MB |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, result in run["results"].items():
        if "error" in result:
            yield f"| {name} | failed | | | | | | | | |"
            continue
        facts = result["facts"]
        events = next(
            (facts[key] for key in ("events", "facts", "rows", "events a step", "events a batch") if key in facts), None
        )
        found = next((facts[key] for key in ("intervals", "answers") if key in facts), None)
        for task, times in result["tasks"].items():
            cells = [name, task, _count(events), _count(found), _count(times["windows"])]
            cells += [number(times[clock][which]) for clock in ("cpu_ms", "wall_ms") for which in ("min", "median")]
            yield f"| {' | '.join([*cells, number(result['rss_mb'])])} |"
            for figure, value in times.get("figures", {}).items():
                yield f"| {name} | … {figure} | | | | {number(value)} | | | | |"


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _beside(run: Result) -> Iterator[str]:
    yield "| workload | other system | its events and intervals | ours | its ms a window | ours | times as fast | aim | with reading | source |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for name, result in run["results"].items():
        if "error" in result:
            continue
        for anchor in anchors(name):
            task = result["tasks"][anchor.task]
            ratio, ours = anchor.ratio(result), task["cpu_ms"]["min"] / task["windows"]
            aim = (
                ""
                if anchor.at_least is None
                else f"{anchor.at_least:g}{'' if ratio >= anchor.at_least else ', missed'}"
            )
            whole = ""
            if anchor.system == "RTEC" and (reading := result["tasks"].get("with reading")):
                rows = result["facts"]["events"] + result["facts"]["input intervals"]
                theirs = anchor.ms * task["windows"] + loading_ms(rows)
                whole = f"{theirs / reading['cpu_ms']['min']:.0f}"
            source = anchor.source + (f"; {anchor.note}" if anchor.note else "")
            sizes = f"{_count(anchor.events)}, {_count(anchor.intervals)} | {_sizes(result)}"
            yield f"| {name} | {anchor.system} | {sizes} | {number(anchor.ms)} | {number(ours)} | {number(ratio)} | {aim} | {whole} | {source} |"


def _sizes(result: Result) -> str:
    """Events, with intervals that were given, and intervals found, of one window."""
    facts = result["facts"]
    given = facts.get("a window", facts.get("events", facts.get("facts", 0)))
    found, windows = facts.get("intervals", facts.get("answers", 0)), facts.get("windows", 1)
    return f"{_count(given)}, {_count(found / windows)}"


def _goals(run: Result) -> Iterator[str]:
    yield "| aim | is | |"
    yield "| --- | ---: | --- |"
    for name, result in run["results"].items():
        if "error" in result:
            continue
        for goal in goals(name):
            if not {goal.task, goal.against or goal.task} <= result["tasks"].keys():
                yield f"| {goal} | | not measured |"
                continue
            value = goal.value(result)
            yield f"| {goal} | {number(value)} | {'met' if value <= goal.at_most else 'missed'} |"


def compared(old: Result, new: Result) -> tuple[str, bool]:
    """New to old times, and whether something got noticeably slower. Both clocks must agree before it is flagged."""
    lines = [
        "| workload | task | CPU, new / old | clock, new / old | memory | |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    worse = False
    for name, result in new["results"].items():
        before = old["results"].get(name, {"error": "not there"})
        if "error" in result or "error" in before:
            lines.append(f"| {name} | | | | | only in one of them |")
            continue
        for task, times in result["tasks"].items():
            if task not in before["tasks"]:
                continue
            cpu, wall = (times[clock]["min"] / before["tasks"][task][clock]["min"] for clock in ("cpu_ms", "wall_ms"))
            slower, faster = min(cpu, wall) > NOTICEABLE, max(cpu, wall) < 1 / NOTICEABLE
            worse |= slower
            flag = "SLOWER" if slower else "faster" if faster else ""
            memory = result["rss_mb"] / before["rss_mb"]
            lines.append(f"| {name} | {task} | {cpu:.2f} | {wall:.2f} | {memory:.2f} | {flag} |")
    return "\n".join(lines), worse
