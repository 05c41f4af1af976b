"""Histories as text, so that those on which the law was once broken stay as cases; and how they are made small.

A case is rules, a line of dashes, and one step to a line:

    window 7
    start 2
    checkpoints 6
    push happens go(ann) at 3
    retract holds inside(ann)=true from 3 to 7
    push point speed(ann)=2 at 5
    advance 9 threads 2 changes
    reload
    split 3

Rows of neighbouring lines that are pushed or retracted come together; an empty line parts them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from holdsfor import loads
from holdsfor.diagnostics import ProgramError, Source
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term
from tests.core.histories import Advance, History, Push, Reload, Retract, Split, Step, of_inputs
from tests.strategies.engine_runs import Scenario

FOLDER = Path(__file__).parent / "cases"
_DASHES = "-" * 20


def written(one: History) -> str:
    """A history as text."""
    lines = [one.scenario.text.strip(), _DASHES]
    lines += [] if one.window is None else [f"window {one.window}"]
    lines += [] if one.start is None else [f"start {one.start}"]
    lines += [] if one.checkpoint_cells is None else [f"checkpoints {one.checkpoint_cells}"]
    for before, step in zip([None, *one.steps], one.steps, strict=False):
        if isinstance(step, Push | Retract):
            lines += [""] if type(before) is type(step) else []
            lines += [f"{type(step).__name__.lower()} {_row(record)}" for record in step.records]
        elif isinstance(step, Advance):
            lines.append(f"advance {step.query} threads {step.threads}{' changes' if step.changes else ''}")
        else:
            lines.append("reload" if isinstance(step, Reload) else f"split {step.parts}")
    return "\n".join(lines) + "\n"


def _row(record: Record) -> str:
    if isinstance(record, Occurrence):
        return f"happens {print_term(record.event)} at {record.time}"
    pair = f"{print_term(record.fluent)}={print_term(record.value)}"
    if record.is_point:
        return f"point {pair} at {record.start}"
    return f"holds {pair} from {record.start} to {record.end}"


def read(text: str) -> History:
    """The history of a text."""
    rules, _, rest = text.partition(_DASHES)
    one = Scenario(rules, [], None, loads(rules))
    window = start = cells = None
    steps: list[Step] = []
    is_new = True
    for line in rest.splitlines():
        word, _, more = line.partition(" ")
        if word == "window":
            window = int(more)
        elif word == "start":
            start = int(more)
        elif word == "checkpoints":
            cells = int(more)
        elif word in ("push", "retract"):
            kind = Push if word == "push" else Retract
            last = steps[-1] if steps else None
            if is_new or not isinstance(last, kind):
                steps.append(last := kind([]))
            last.records.append(_record(more))
        elif word == "advance":
            query, _, threads, *changes = more.split()
            steps.append(Advance(int(query), int(threads), bool(changes)))
        elif word:
            steps.append(Reload() if word == "reload" else Split(int(more)))
        is_new = not word
    return History(one, window, steps, start, cells)


def _record(text: str) -> Record:
    found = re.fullmatch(r"(happens|holds|point) (.*) (?:at (\S+)|from (\S+) to (\S+))", text)
    assert found is not None, text
    term = _term(found[2])
    if found[1] == "happens":
        return Occurrence(term, int(found[3]), 0)
    assert isinstance(term, Compound)
    fluent, value = term.args
    if found[1] == "point":
        return InputInterval(fluent, value, int(found[3]), int(found[3]) + 1, 0, is_point=True)
    return InputInterval(fluent, value, int(found[4]), math.inf if found[5] == "inf" else int(found[5]), 0)


def _term(text: str) -> Term:
    found = parse(Source("row", f"{text}.")).clauses[0].head
    assert found is not None
    return found


def cases() -> list[Path]:
    """All cases."""
    return sorted(FOLDER.glob("*.txt"))


# Smaller histories


def shrunk(one: History, fails: Callable[[History], bool]) -> History:
    """A history that still fails, from which nothing can be left out."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for smaller in _smaller(one):
            if fails(smaller):
                one, is_smaller = smaller, True
                break
    return one


def _smaller(one: History) -> Iterator[History]:
    for size in (8, 3, 1):
        for place in range(0, len(one.steps), size):
            yield replace(one, steps=one.steps[:place] + one.steps[place + size :])
    for place, step in enumerate(one.steps):
        for other in _smaller_steps(step):
            yield replace(one, steps=[*one.steps[:place], other, *one.steps[place + 1 :]])
    if one.start is not None:
        yield replace(one, start=None)
    if one.checkpoint_cells is not None:
        yield replace(one, checkpoint_cells=None)
    if one.window is not None:
        yield replace(one, window=None)
    lines = one.scenario.text.strip().splitlines()
    for size in (4, 1):
        for place in range(0, len(lines), size):
            text = "\n".join(lines[:place] + lines[place + size :]) + "\n"
            try:
                yield of_inputs(replace(one, scenario=replace(one.scenario, text=text, reasoner=loads(text))))
            except ProgramError:
                continue


def _smaller_steps(step: Step) -> Iterator[Step]:
    if isinstance(step, Push | Retract) and len(step.records) > 1:
        for place in range(len(step.records)):
            yield replace(step, records=step.records[:place] + step.records[place + 1 :])
    if isinstance(step, Advance) and step.threads > 1:
        yield replace(step, threads=1)
    if isinstance(step, Advance) and step.changes:
        yield replace(step, changes=False)
