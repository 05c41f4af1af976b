"""Parts of a report on a run, as Markdown: what was aimed at, other systems, other tools, and each area by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.suite.anchors import Anchor, anchors, goals, kept, loading_ms, obstacle
from benchmarks.suite.measure import Result

Results = dict[str, Result]


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def count(value: float | None) -> str:
    """A whole number, or nothing."""
    return "" if value is None else f"{value:,.0f}"


def rows(head: Sequence[str], body: Iterable[Sequence[str]], text: int = 1) -> Iterator[str]:
    """A table; the first columns are text, the others numbers."""
    body = list(body)
    if not body:
        yield "Not measured in this run."
        return
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join(['---'] * text + ['---:'] * (len(head) - text))} |"
    for cells in body:
        yield f"| {' | '.join(cells)} |"


def heading(run: Result) -> Iterator[str]:
    """When, where, with what."""
    machine, versions = run["machine"], run["versions"]
    words = ", ".join(f"{name} {version}" for name, version in versions.items())
    loads = [result["load"] for result in run["results"].values() if "load" in result]
    load = f"load {min(loads):.1f} to {max(loads):.1f}" if loads else f"load {run['load'][0]:.1f}"
    yield f"{run['date']}; {machine['processor']}, {machine['cores']} cores; {load}; {words}; commit {run['commit']}."
    for added in run.get("added", []):
        yield f"Added later, {added['date']}, commit {added['commit']}: {', '.join(added['names'])}."


def good(run: Result) -> Results:
    """Results of what did not fail."""
    return {name: result for name, result in run["results"].items() if "error" not in result}


def targets(run: Result, section: str = "targets") -> Iterator[str]:
    """Everything that is aimed at: how far it is."""
    head = ["target", "", "what stands in the way", "needed", "is"]
    found = _targets(run) if section == "targets" else iter(())
    yield from rows(head, (one.cells() for one in (*found, *_goals(run, section))), 3)


@dataclass(frozen=True)
class _Aim:
    title: str
    unit: str
    needed: float
    found: float
    why: str
    is_met_below: bool = False

    def cells(self) -> list[str]:
        """A row of the table."""
        missed_by = self.found / self.needed if self.is_met_below else self.needed / self.found
        by, why = ("met", "") if missed_by <= 1 else (f"**missed** by {number(missed_by)}×", self.why)
        return [self.title, by, why, f"{number(self.needed)} {self.unit}", f"{number(self.found)} {self.unit}"]


def _targets(run: Result) -> Iterator[_Aim]:
    for name, result in good(run).items():
        for one in anchors(name, result):
            if one.at_least is not None:
                title = f"{result['title']}: times as fast as {one.system}"
                yield _Aim(title, "×", one.at_least, one.ratio(result), obstacle(name))


def _goals(run: Result, section: str) -> Iterator[_Aim]:
    for name, result in good(run).items():
        for goal in goals(name):
            if goal.section == section and goal.is_in(result):
                why = goal.why or obstacle(name)
                yield _Aim(str(goal), goal.shown_unit, goal.needed, goal.value(result), why, goal.is_met_below)


def others(run: Result) -> Iterator[str]:
    """Figures of other systems that did not run here."""
    head = ["workload", "other system", "source", "its events, intervals", "ours", "its ms", "ours, ms"]
    yield from rows([*head, "times as fast", "with reading"], _others(run), 3)


def _others(run: Result) -> Iterator[list[str]]:
    for name, result in good(run).items():
        for one in anchors(name, result):
            task = result["tasks"][one.task]
            source = one.source + (f"; {one.note}" if one.note else "")
            sizes = f"{count(one.events)}, {count(one.intervals)}" if one.events is not None else ""
            ours = task["cpu_ms"]["min"] / task["windows"]
            times = [number(one.ms), number(ours), number(one.ratio(result))]
            yield [name, one.system, source, sizes, _sizes(result), *times, _with_reading(one, result)]


def _sizes(result: Result) -> str:
    """Events, with intervals that were given, and intervals found, of one window."""
    facts = result["facts"]
    given = facts.get("a window", facts.get("events", facts.get("facts", 0)))
    found, windows = facts.get("intervals", facts.get("answers", 0)), facts.get("windows", 1)
    return f"{count(given)}, {count(found / windows)}"


def _with_reading(one: Anchor, result: Result) -> str:
    reading = result["tasks"].get("with reading")
    if one.system != "RTEC" or reading is None:
        return ""
    given = result["facts"]["events"] + result["facts"]["input intervals"]
    theirs = one.ms * result["tasks"][one.task]["windows"] + loading_ms(given)
    return number(theirs / reading["cpu_ms"]["min"])


def tools(run: Result) -> Iterator[str]:
    """Other tools in the same run; their answers were the same."""
    body = []
    for name, result in good(run).items():
        if not name.startswith("peer-"):
            continue
        ours = result["tasks"].get("holdsfor")
        for task, times in result["tasks"].items():
            if "in this process" in task:
                continue
            ratio = number(times["cpu_ms"]["min"] / ours["cpu_ms"]["min"]) if ours and times is not ours else ""
            figures = times.get("figures", {})
            cells = [number(times[clock]["min"]) for clock in ("cpu_ms", "wall_ms")]
            extra = [number(figures[figure]) if figure in figures else "" for figure in ("rss_mb", "first_ms")]
            facts = [count(result["facts"].get(fact)) for fact in ("events", "intervals")]
            body.append([result["title"], task, *facts, *cells, ratio, *extra])
    head = ["question", "tool", "events", "intervals", "CPU, ms", "clock, ms", "× holdsfor", "peak MB", "first, ms"]
    yield from rows(head, body, 2)


def overlapping(run: Result) -> Iterator[str]:
    """Windows that overlap."""
    body = []
    for result in (found for name, found in good(run).items() if name.startswith("overlapping")):
        figures = result["tasks"]["all windows"]["figures"]
        for size in [int(name[8:-3]) for name in figures if name.startswith("scratch_")]:
            ms = [figures[f"{way}_{size}_ms"] for way in ("scratch", "changed")]
            ratios = [ms[0] / ms[1], figures[f"ratio_{size}"]]
            cells = [f"{value:.1f}" for value in ms] + [f"{value:.2f}" for value in ratios]
            body.append([result["title"].removeprefix("windows that overlap, "), str(size), *cells])
    head = ["stream", "steps in a window", "from scratch, ms", "by what changed", "scratch / changed", "on average"]
    yield from rows(head, body)


def late(run: Result) -> Iterator[str]:
    """Late events in one window."""
    result = good(run).get("late-events")
    if result is None:
        yield "Not measured in this run."
        return
    tasks = result["tasks"]
    names = list(next(iter(tasks.values()))["figures"])
    body = [
        [count(int(name[5:-3])), *(number(task["figures"][name]) for task in tasks.values())]
        for name in names
        if re.fullmatch(r"late_\d+_ms", name)
    ]
    yield from rows(["late events", *(f"{way}, ms" for way in tasks)], body, 0)


def metric(run: Result) -> Iterator[str]:
    """Metric programs, and the facts they keep."""
    body = []
    for name, result in good(run).items():
        if name.startswith(("short-stop", "lubm")):
            facts, stream, batch = (
                result["facts"],
                *(result["tasks"][task]["cpu_ms"]["min"] for task in ("stream", "batch")),
            )
            theirs = kept(name)
            sizes = [count(facts["facts"]), count(facts["answers"]), number(stream), number(stream / facts["steps"])]
            most = [count(facts["facts kept"]), count(theirs) if theirs else ""]
            body.append([result["title"], *sizes, number(batch), *most])
    head = ["", "facts", "answers", "stream, ms", "ms a step", "batch, ms", "most facts kept", "by MeTeoR-Str"]
    yield from rows(head, body)


def spark(run: Result) -> Iterator[str]:
    """What Spark takes."""
    body = []
    for name, result in good(run).items():
        if name.startswith("spark-"):
            for task, times in result["tasks"].items():
                figures = ", ".join(f"{figure} {number(value)}" for figure, value in times.get("figures", {}).items())
                body.append([result["title"], task, figures, *(number(times[c]["min"]) for c in ("wall_ms", "cpu_ms"))])
    yield from rows(["", "task", "in it", "clock, ms", "CPU of all processes, ms"], body, 3)


SECTIONS: dict[str, tuple[str, Callable[[Result], Iterator[str]]]] = {
    "targets": ("Targets", targets),
    "others": ("Other systems, by figures of theirs", others),
    "tools": ("Other tools in the same run, with the same answers", tools),
    "overlapping": ("Windows that overlap", overlapping),
    "late": ("Late events", late),
    "metric-targets": ("Metric programs, targets", partial(targets, section="metric-targets")),
    "metric": ("Metric programs", metric),
    "spark": ("Spark", spark),
}
