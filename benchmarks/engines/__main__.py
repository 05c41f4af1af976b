"""The old engine and the new one side by side: `python -m benchmarks.engines [NAME …] [--quick] [--json FILE] [--publish]`.

The old engine is commit 6b0505c, in a worktree that is made below `build/`. Every workload runs in a process of its own, by
turns for each engine, several times; the best of each figure counts. Times are of the processor unless they say
otherwise. `--publish` writes the table into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.engines.places import ROOT, Engine, engines
from benchmarks.engines.targets import TARGETS, Target
from benchmarks.suite.measure import circumstances

Results = dict[str, dict[str, dict[str, float]]]
"""Figures by engine and workload."""
README = ROOT / "benchmarks" / "README.md"


def measured(engine: Engine, workload: str, quick: bool) -> dict[str, Any]:
    """The figures of one run."""
    small = ["--quick"] if quick else []
    kind, _, name = workload.partition(":")
    if kind == "suite":
        found = engine.run("benchmarks.suite", "one", name, *small)
        return found if "error" in found else figures_of_suite(found)
    return engine.run(f"benchmarks.engines.{kind}", name, *small, scripts=ROOT)


def figures_of_suite(found: dict[str, Any]) -> dict[str, float]:
    """Times of a workload of the suite for one window, in ms."""
    figures: dict[str, float] = {"rss_mb": found["rss_mb"], "more_rss_mb": found["rss_mb"] - found["rss_ready_mb"]}
    for task, result in found["tasks"].items():
        name = task.replace(" ", "_").replace(",", "")
        figures[f"{name}_ms"] = result["cpu_ms"]["min"] / result.get("windows", 1)
        figures[f"{name}_wall_ms"] = result["wall_ms"]["min"] / result.get("windows", 1)
        figures |= result.get("figures", {})
    return figures | {name: float(value) for name, value in found["facts"].items()}


def best(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """The better of two runs, figure by figure."""
    if old is None or "error" in old:
        return new
    if "error" in new:
        return old
    return {name: (max if name.endswith("_per_s") else min)(old.get(name, value), value) for name, value in new.items()}


def run(targets: Sequence[Target], quick: bool, repeat: int, only: str | None) -> Results:
    """Every workload of some targets, by turns on each engine."""
    found: Results = {"old": {}, "new": {}}
    workloads = list(dict.fromkeys(target.workload for target in targets))
    for workload in workloads:
        for _ in range(1 if quick else repeat):
            for engine in engines(only):
                is_wanted = any(target.compares for target in targets if target.workload == workload)
                if engine.name == "old" and not is_wanted:
                    continue
                figures = measured(engine, workload, quick)
                found[engine.name][workload] = best(found[engine.name].get(workload), figures)
                print(workload, engine.name, json.dumps(figures), file=sys.stderr, flush=True)
    return found


def table(targets: Sequence[Target], found: Results) -> str:
    """What was needed and what is."""
    lines = ["| work | needed | old engine | new engine | |", "| --- | ---: | ---: | ---: | --- |"]
    for target in targets:
        lines.append(target.line(found["old"].get(target.workload), found["new"].get(target.workload)))
    return "\n".join(lines)


def publish(text: str) -> None:
    """Put the table into the page."""
    page = README.read_text(encoding="utf-8")
    begin, end = "<!-- begin engines -->", "<!-- end engines -->"
    made = re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n\n{text}\n\n{end}", page, flags=re.DOTALL)
    assert made != page or text in page, f"no {begin} in {README}"
    README.write_text(made, encoding="utf-8")


def heading(quick: bool) -> str:
    """When and where."""
    now = circumstances(quick)
    machine = now["machine"]
    load = ", ".join(f"{one:.1f}" for one in now["load"])
    return f"{now['date']}; {machine['processor']}, {machine['cores']} cores; load {load}; commit {now['commit']}."


def main(words: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of workloads; without any, all")
    parser.add_argument("--quick", action="store_true", help="small data, to see that everything works")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--only", choices=("old", "new"))
    parser.add_argument("--json", type=Path, help="add the figures to those in this file")
    parser.add_argument("--publish", action="store_true", help="write the table into benchmarks/README.md")
    options = parser.parse_args(words)
    names = tuple(options.names)
    targets = [target for target in TARGETS if not names or target.workload.startswith(names)]
    found = run(targets, options.quick, options.repeat, options.only)
    if options.json is not None and options.json.exists():
        known: Results = json.loads(options.json.read_text(encoding="utf-8"))
        found = {engine: known.get(engine, {}) | found[engine] for engine in ("old", "new")}
        targets = [target for target in TARGETS if target.workload in found["new"]]
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    text = f"{heading(options.quick)}\n\n{table(targets, found)}"
    print(text)
    if options.publish:
        publish(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
