"""What is paid before any reasoning: starting, compiling rules, reading text."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.suite.data import maritime, maritime_rules, text_rows
from benchmarks.suite.workload import EXAMPLES, ROOT, Figures, Ready, Task, Workload, again

from holdsfor import load, loads
from holdsfor.io.rtec_csv import read_rtec


def _command(*words: str) -> Ready:
    """A command in a new process, time and again; the first is not counted, for files may have to come from the disk."""

    # As with an installed package, sources are compiled once and not at every start.
    setting = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    setting["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "compiled")

    def start() -> None:
        subprocess.run(
            [sys.executable, *words], check=True, env=setting, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    return Ready({"start": Task(again(start), repeat=9)})


def _run_small_file(quick: bool) -> Ready:
    del quick
    folder = EXAMPLES / "fleet_management"
    words = ("-m", "holdsfor", "run", str(folder / "rules.prolog"), "--events", str(folder / "events.csv"))
    python = _command("-c", "pass").tasks["start"]
    return Ready({**_command(*words).tasks, "Python alone": python})


def _import(quick: bool) -> Ready:
    del quick
    # What Python itself takes is not the package's; it is shown apart.
    return Ready(
        {
            "start": _command("-c", "import holdsfor").tasks["start"],
            "Python alone": _command("-c", "pass").tasks["start"],
        },
        {},
    )


def _compile(quick: bool) -> Ready:
    def small() -> None:
        _ = loads(maritime_rules.RULES).plan

    def many() -> None:
        _ = loads(text).plan

    def voting() -> None:
        _ = load(EXAMPLES / "voting" / "rules.prolog").plan

    copies = 2 if quick else 16
    text = maritime.copies(copies)
    return Ready(
        {
            "eleven outputs": Task(again(small)),
            "copies of them": Task(again(many), repeat=3),
            "voting": Task(again(voting)),
        },
        {"copies": copies},
    )


def _ingest(rows: int, quick: bool) -> Ready:
    rows = 50_000 if quick else rows
    entities = loads(text_rows.RULES).analysis.entities
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "events.csv")
    path.write_text("".join(text_rows.lines(rows)), encoding="utf-8")

    def read() -> Figures:
        assert folder
        reading = read_rtec([path], entities)
        assert (reading.rows, reading.rejects.count) == (rows, 0)
        return {}

    def cut() -> None:
        text_rows.cut_into_lines(path)

    return Ready(
        {"reading": Task(again(read), repeat=5), "only lines, by Arrow": Task(again(cut), repeat=5)}, {"rows": rows}
    )


WORKLOADS = [
    Workload("cold-start", "holdsfor run on a small file, in a new process", _run_small_file),
    Workload("import", "import holdsfor, in a new process", _import),
    Workload("compile", "rules to plans", _compile),
    Workload("ingest", "2 million rows of RTEC's format", partial(_ingest, 2_000_000)),
]
