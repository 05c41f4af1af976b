"""Run benchmarks, compare two runs, draw one.

    python -m benchmarks.suite list
    python -m benchmarks.suite run [NAMES …] [--quick] [--all | --targets] [--json FILE [--add]]
    python -m benchmarks.suite show FILE
    python -m benchmarks.suite publish FILE
    python -m benchmarks.suite compare OLD NEW
    python -m benchmarks.suite plot FILE [--folder FOLDER]
    python -m benchmarks.suite profile NAME [TASK]

Names may be the beginnings of names. Every workload runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.suite.anchors import aimed_at
from benchmarks.suite.measure import Result, circumstances, measure_apart, measure_here, warm_up, written
from benchmarks.suite.tables import compared, line, table
from benchmarks.suite.workload import ROOT, Workload
from benchmarks.suite.workloads import ALL

LIMIT = 900.0
"""Seconds a workload may take."""


def chosen(names: Sequence[str], every: bool) -> list[Workload]:
    """Workloads by name or the beginning of one; without names, those that are not slow."""
    found = [
        workload
        for workload in ALL.values()
        if (any(workload.name.startswith(name) for name in names) if names else every or not workload.slow)
    ]
    if not found:
        raise SystemExit(f"no workload is called so; there are {', '.join(ALL)}")
    return found


def run(options: argparse.Namespace) -> int:
    """Measure, and tell of it on the way."""
    workloads = [ALL[name] for name in aimed_at()] if options.targets else chosen(options.names, options.all)
    found = _begun(options, [workload.name for workload in workloads])
    results: dict[str, Result] = found["results"]
    begin = time.perf_counter()
    for number, workload in enumerate(workloads, 1):
        print(f"[{number}/{len(workloads)}, {time.perf_counter() - begin:.0f} s] {workload.title}", flush=True)
        since = time.perf_counter()
        result = measure_apart(workload.name, options.quick, LIMIT)
        results[workload.name] = {**result, "took_s": time.perf_counter() - since}
        print(line(workload.name, result, options.quick), flush=True)
        if options.json is not None:
            _write(options.json, found)
    found["took_s"] = found.get("took_s", 0.0) + time.perf_counter() - begin
    if options.json is None:
        print(table(found))
    else:
        _write(options.json, found)
    return int(any("error" in result for result in results.values()))


def _begun(options: argparse.Namespace, names: list[str]) -> Result:
    """A run without results, or one that is there already and gets some more."""
    now = circumstances(options.quick)
    if not options.add:
        return {**now, "results": {}}
    found: Result = json.loads(options.json.read_text(encoding="utf-8"))
    found.setdefault("added", []).append({**{key: now[key] for key in ("date", "commit")}, "names": names})
    return found


def _write(path: Path, found: Result) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(found), encoding="utf-8")


def profile(name: str, task: str | None) -> None:
    """Where the time of a task goes."""
    import cProfile
    import pstats

    ready = ALL[name].make(False)
    chosen_task = ready.tasks[task or next(iter(ready.tasks))]
    warm_up(chosen_task)
    watching = cProfile.Profile(time.process_time)
    watching.runcall(chosen_task.fresh())
    print(ready.facts)
    pstats.Stats(watching).sort_stats("tottime").print_stats(25)
    pstats.Stats(watching).sort_stats("cumtime").print_stats(45)


def main(words: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.suite", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="names and titles")
    running = verbs.add_parser("run", help="measure")
    running.add_argument("names", nargs="*")
    running.add_argument("--quick", action="store_true", help="small data, to see that everything works")
    running.add_argument("--all", action="store_true", help="slow workloads too")
    running.add_argument("--targets", action="store_true", help="only what there is a target for")
    running.add_argument("--json", type=Path, help="write results here, after every workload")
    running.add_argument("--add", action="store_true", help="to those that are there already")
    one = verbs.add_parser("one", help="measure one workload in this process, and print JSON")
    one.add_argument("name", choices=ALL)
    one.add_argument("--quick", action="store_true")
    verbs.add_parser("show", help="a table of results").add_argument("file", type=Path)
    verbs.add_parser("publish", help="results, tables and pictures for readers").add_argument("file", type=Path)
    comparing = verbs.add_parser("compare", help="ratios of two runs")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    plotting = verbs.add_parser("plot", help="pictures of a run")
    plotting.add_argument("file", type=Path)
    plotting.add_argument("--folder", type=Path, default=ROOT / "docs" / "images")
    profiling = verbs.add_parser("profile", help="where the time goes")
    profiling.add_argument("name", choices=ALL)
    profiling.add_argument("task", nargs="?")
    options = parser.parse_args(words)
    match options.verb:
        case "list":
            for workload in ALL.values():
                print(f"{workload.name:24} {workload.title}{' (slow)' if workload.slow else ''}")
        case "run":
            return run(options)
        case "one":
            print(json.dumps(measure_here(ALL[options.name], options.quick)))
        case "show":
            print(table(json.loads(options.file.read_text(encoding="utf-8"))))
        case "publish":
            from benchmarks.suite.publish import publish

            for path in publish(json.loads(options.file.read_text(encoding="utf-8"))):
                print(path)
        case "compare":
            old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (options.old, options.new))
            text, worse = compared(old, new)
            print(text)
            return int(worse)
        case "plot":
            from benchmarks.suite.plots import draw

            for path in draw(json.loads(options.file.read_text(encoding="utf-8")), options.folder):
                print(path)
        case "profile":
            profile(options.name, options.task)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
