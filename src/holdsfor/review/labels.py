"""Labels: true intervals or points, from files or tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.diagnostics import HoldsforError, ProgramError, Source
from holdsfor.frontend.dmtl.constants import read_arguments
from holdsfor.metric.times import exact
from holdsfor.review.history import History, Subject, cell_span, metric_subject
from holdsfor.review.timeline_scale import FAR, TimeLine
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, arguments, functor
from holdsfor.times import TimeScale, time_point

LabelsInput: TypeAlias = str | Path | Sequence[Any] | Any
"""A file (CSV, Parquet, JSON lines), a table (pandas, polars, Arrow), or rows: `("gap(v1)=true", start, end)`."""

_NAMES = ("fluent", "event", "predicate", "situation")
_OTHERS = frozenset({"query_time", "value", "args", "start", "end", "time", "start_closed", "end_closed"})


@dataclass(frozen=True)
class LabelledInterval:
    """One label: what, and from when to when. A point has one time."""

    subject: Subject
    start: Any
    end: Any
    start_closed: bool = True
    end_closed: bool = False
    is_point: bool = False


def read_labels(given: LabelsInput, *, metric: bool) -> list[LabelledInterval]:
    """Labels as they are given, with times as they are written."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [_of_row(row, place, metric=metric) for place, row in enumerate(given, 1)]
    table = _table(Path(given)) if isinstance(given, str | Path) else pa.table(given)
    name = next((one for one in _NAMES if one in table.column_names), None)
    source = str(given) if isinstance(given, str | Path) else "labels"
    if name is None or not ({"start", "time"} & set(table.column_names)):
        raise HoldsforError(
            f"{source}: labels need a column {' or '.join(_NAMES)}, and start and end, or time; "
            f"there are {', '.join(table.column_names)}"
        )
    extra = [one for one in table.column_names if one != name and one not in _OTHERS]
    return [
        _of_record(row, name, extra, f"{source}, row {place}", metric=metric)
        for place, row in enumerate(table.to_pylist(), 1)
    ]


def _table(path: Path) -> pa.Table:
    try:
        if path.suffix == ".parquet":
            from pyarrow import parquet

            return parquet.read_table(path)
        if path.suffix in (".jsonl", ".ndjson", ".json"):
            from pyarrow import json

            return json.read_json(path)
        from pyarrow import csv

        # Text as it stands: 007 is a name here, and times may be dates.
        with csv.open_csv(path) as reader:
            names = reader.schema.names
        options = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True)
        return csv.read_csv(path, convert_options=options)
    except (pa.ArrowInvalid, OSError) as problem:
        raise HoldsforError(f"cannot read labels from {path}: {str(problem).splitlines()[0]}") from None


def _of_row(row: Any, place: int, *, metric: bool) -> LabelledInterval:
    if not isinstance(row, Sequence) or len(row) not in (2, 3):
        raise HoldsforError(f"label {place} must be (what, start, end) or (what, time), not {row!r}")
    what, start, *rest = row
    subject = _written(str(what), f"label {place}", metric=metric)
    if not rest:
        return LabelledInterval(subject, start, start, is_point=True, end_closed=True)
    return LabelledInterval(subject, start, rest[0], is_point=rest[0] == start, end_closed=rest[0] == start)


def _of_record(
    row: Mapping[str, Any], name: str, extra: Sequence[str], where: str, *, metric: bool
) -> LabelledInterval:
    what = str(row[name])
    if metric and row.get("args") is not None:
        subject = metric_subject(what, read_arguments(str(row["args"])))
    elif extra and "(" not in what:
        args = [row[one] for one in extra if row[one] not in (None, "")]
        subject = _of_arguments(what, args, row.get("value"), metric=metric)
    else:
        value = row.get("value")
        written = what if value in (None, "") or metric else f"({what})=({value})"
        subject = _written(written, where, metric=metric)
    if "start" not in row or (row.get("start") in (None, "") and row.get("time") not in (None, "")):
        return LabelledInterval(subject, row["time"], row["time"], is_point=True, end_closed=True)
    start, end = row["start"], row.get("end")
    is_point = start is not None and start == end
    closed = [str(row[one]).lower() in ("true", "1") for one in ("start_closed", "end_closed") if one in row]
    start_closed, end_closed = closed if len(closed) == 2 else (True, is_point)
    return LabelledInterval(subject, start, end, start_closed, end_closed, is_point)


def _of_arguments(name: str, args: Sequence[Any], value: Any, *, metric: bool) -> Subject:
    if metric:
        return metric_subject(name, [arg.value for arg in map(_argument, args)])
    values = tuple(map(_argument, args))
    term: Term = Compound(name, values) if values else Const(name)
    return _subject(term, Const("true") if value in (None, "") else _argument(value))


def _argument(given: Any) -> Const:
    """A cell as rules write it: a number, or a name."""
    if isinstance(given, str):
        for kind in (int, float):
            try:
                return Const(kind(given))
            except ValueError:
                continue
        return Const(given)
    return Const(given)


def _written(text: str, where: str, *, metric: bool) -> Subject:
    if metric:
        from holdsfor.frontend.dmtl import parse_metric

        parsed = parse_metric([Source("<label>", f"{text.strip()}@0")])
        if parsed.diagnostics or len(parsed.facts) != 1:
            raise HoldsforError(f"{where}: {text!r} is not a fact such as Recent(pump)")
        fact = parsed.facts[0]
        return metric_subject(fact.predicate, [arg.value for arg in fact.args])
    parsed_text = parse(Source("<label>", f"{text.rstrip().rstrip('.')} ."))
    if parsed_text.diagnostics or len(parsed_text.clauses) != 1 or parsed_text.clauses[0].head is None:
        raise HoldsforError(f"{where}: {text!r} is not a fluent such as gap(v1)=true")
    head = parsed_text.clauses[0].head
    if isinstance(head, Compound) and head.name == "=" and len(head.args) == 2:
        return _subject(head.args[0], head.args[1])
    return _subject(head, Const("true"))


def _subject(term: Term, value: Term) -> Subject:
    name = functor(term)
    if name is None:
        raise HoldsforError(f"{print_term(term)} is not a fluent or an event")
    entity = tuple(print_term(arg) for arg in arguments(term))
    return Subject(name[0], entity, print_term(term), print_term(value))


def label_scale(labels: Sequence[LabelledInterval], scale: TimeScale | None) -> int:
    """The ticks per time unit that the times of labels need."""
    unit = None if scale is None else scale.unit
    times = [exact(time, unit=unit) for one in labels for time in (one.start, one.end) if time not in (None, "")]
    return lcm(1, *(time.denominator for time in times))


def label_history(
    labels: Sequence[LabelledInterval], line: TimeLine, events: frozenset[str]
) -> tuple[History, frozenset[str]]:
    """Labels on a time-line, and the names whose labels are points. `events` are names of derived events."""
    numbers: dict[Subject, int] = {}
    spans = []
    kinds: dict[str, set[bool]] = {}
    for one in labels:
        subject = one.subject
        if subject.name in events:
            subject = subject._replace(value="", is_event=True)
        spans.append((numbers.setdefault(subject, len(numbers)), *_span(one, line)))
        kinds.setdefault(subject.name, set()).add(one.is_point)
    columns: Sequence[Ints] = list(np.array(spans, np.int64).T) if spans else [EMPTY, EMPTY, EMPTY]
    points = frozenset(name for name, found in kinds.items() if found == {True} and name not in events)
    return History(list(numbers), *columns), points


def _span(one: LabelledInterval, line: TimeLine) -> tuple[int, int]:
    unit = None if line.time_scale is None else line.time_scale.unit
    try:
        if line.is_metric:
            start, end = (None if time in (None, "") else exact(time, unit=unit) for time in (one.start, one.end))
            return cell_span(start, end, line.scale, start_closed=one.start_closed, end_closed=one.end_closed)
        low = -FAR if one.start in (None, "", "-inf") else _point(one.start, unit, "start")
        if one.is_point:
            return low, low + 1
        high = FAR if one.end in (None, "", "inf") else _point(one.end, unit, "end")
    except (HoldsforError, ProgramError) as problem:
        raise HoldsforError(f"label {one.subject}: {problem}") from None
    if high < low:
        raise HoldsforError(f"label {one.subject}: its end {one.end} lies before its start {one.start}")
    return low, high


def _point(time: Any, unit: str | None, what: str) -> int:
    given = _number(time)
    is_near = type(given) is int and abs(given) < FAR // 4
    return given if is_near else time_point(given, unit, what)


def _number(time: Any) -> Any:
    """Text of a number as a number."""
    if isinstance(time, str):
        try:
            return int(time)
        except ValueError:
            return time
    return int(time) if isinstance(time, float | Fraction) and time == int(time) else time
