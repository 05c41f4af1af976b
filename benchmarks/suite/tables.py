"""Results as text: a line, a report, two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.suite.anchors import anchors
from benchmarks.suite.measure import Result
from benchmarks.suite.sections import SECTIONS, count, heading, number, rows

NOTICEABLE = 1.15
"""A ratio of two runs beyond which a change is flagged."""


def line(name: str, result: Result, quick: bool) -> str:
    """What came of one workload."""
    if "error" in result:
        return f"    {name} FAILED: {result['error']}"
    tasks = [f"{task} {_times(found)}" for task, found in result["tasks"].items()]
    # What was made small cannot be held against figures of the whole.
    beside = [] if quick else [f"{one.ratio(result):.0f}× {one.system}" for one in anchors(name, result)]
    return f"    {'; '.join([*tasks, *beside])}; {result['rss_mb']:.0f} MB"


def _times(found: Result) -> str:
    figures = "".join(f", {name} {value:.3g}" for name, value in found.get("figures", {}).items())
    return f"{number(found['cpu_ms']['min'])} ms{figures}"


def table(run: Result) -> str:
    """All results of a run as Markdown."""
    parts = [list(heading(run))]
    if not run["quick"]:
        for title, section in SECTIONS.values():
            body = list(section(run))
            if len(body) > 2:
                parts.append([f"## {title}", "", *body])
    parts.append(["## Everything", "", *_all(run)])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _all(run: Result) -> Iterator[str]:
    head = [
        "workload",
        "task",
        "events",
        "intervals",
        "windows",
        "CPU, ms: least",
        "median",
        "clock, ms: least",
        "median",
    ]
    yield from rows([*head, "peak MB", "took, s"], _every_task(run), 2)


def _every_task(run: Result) -> Iterator[list[str]]:
    for name, result in run["results"].items():
        took = f"{result['took_s']:.0f}" if "took_s" in result else ""
        if "error" in result:
            yield [name, "failed", *[""] * 8, took]
            continue
        facts = result["facts"]
        known = ("events", "facts", "rows", "events a step", "events a batch")
        events = next((facts[key] for key in known if key in facts), None)
        found = next((facts[key] for key in ("intervals", "answers") if key in facts), None)
        for task, times in result["tasks"].items():
            cells = [name, task, count(events), count(found), count(times["windows"])]
            cells += [number(times[clock][which]) for clock in ("cpu_ms", "wall_ms") for which in ("min", "median")]
            yield [*cells, number(result["rss_mb"]), took]
            for figure, value in times.get("figures", {}).items():
                yield [name, f"… {figure}", "", "", "", number(value), *[""] * 5]


def compared(old: Result, new: Result) -> tuple[str, bool]:
    """New to old times, and whether something got noticeably slower. Both clocks must agree before it is flagged."""
    body = []
    worse = False
    for name, result in new["results"].items():
        before = old["results"].get(name, {"error": "not there"})
        if "error" in result or "error" in before:
            body.append([name, "", "", "", "", "only in one of them"])
            continue
        for task, times in result["tasks"].items():
            if task not in before["tasks"]:
                continue
            cpu, wall = (times[clock]["min"] / before["tasks"][task][clock]["min"] for clock in ("cpu_ms", "wall_ms"))
            slower, faster = min(cpu, wall) > NOTICEABLE, max(cpu, wall) < 1 / NOTICEABLE
            worse |= slower
            flag = "SLOWER" if slower else "faster" if faster else ""
            memory = result["rss_mb"] / before["rss_mb"]
            body.append([name, task, f"{cpu:.2f}", f"{wall:.2f}", f"{memory:.2f}", flag])
    return "\n".join(rows(["workload", "task", "CPU, new / old", "clock, new / old", "memory", ""], body, 2)), worse
