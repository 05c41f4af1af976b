"""`run --columns`: a table for each fluent, with a column for each argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.cli.options import Format, ending_of
from holdsfor.compiler.analysis.argument_names import argument_columns
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    # Imported where it is used: Arrow would slow down every other command.
    import pyarrow as pa

Arities = dict[str, int]
"""Fluents, events or predicates by name, with their greatest number of arguments."""


def arities(plan: Plan, kind: EntityKind, wanted: Collection[str] | None = None) -> Arities:
    """The requested fluents or derived events of a program."""
    found: Arities = {}
    for symbol in sorted(plan.outputs):
        if symbol.kind is kind and (wanted is None or symbol.name in wanted):
            found[symbol.name] = max(found.get(symbol.name, 0), symbol.arity)
    return found


def places(
    names: Collection[str], output: Path | None, style: str, option: str, one: str = ""
) -> dict[str, Path | None]:
    """The path of each table: a single one is the output, several are files in a folder."""
    if len(names) == 1 and not (output is not None and output.is_dir()):
        return dict.fromkeys(names, output)
    if not names:
        return {}
    if output is None or output.is_file() or (output.suffix and not output.is_dir()):
        choose = f"choose one with {one}, or " if one else ""
        raise HoldsforError(
            f"--columns makes a table for each of {', '.join(names)}; {choose}"
            f"give a folder for a file of each: {option} FOLDER"
        )
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise HoldsforError(f"cannot make the folder {output}: {problem.strerror or problem}") from problem
    ending = ending_of(Format(style))
    return {name: output / (_file_name(name) + ending) for name in names}


def folders(sink: str, names: Iterable[str]) -> dict[str, str]:
    """A folder per name, inside the folder of a sink."""
    return {name: f"{sink}/{_file_name(name)}" for name in names}


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]", "_", name)


def write_tables(
    tables: Iterable[tuple[str, pa.Table]],
    where: dict[str, Path | None],
    style: str,
    before_output: Callable[[], None] | None = None,
    *,
    scale: TimeScale | None = None,
    times: Sequence[str] = (),
) -> None:
    """Writes each table to its path, with the `times` columns in the time scale."""
    from holdsfor.io.writers import writing

    for name, table in tables:
        with writing(style, where[name], table.schema, before_output, scale=scale, times=times) as writer:
            writer.write(table)


class WriteInColumns:
    """Writes a table per fluent, and per derived event if requested. Paths are checked before the run."""

    def __init__(
        self,
        plan: Plan,
        wanted: Collection[str] | None,
        styles: tuple[str, str],
        output: Path | None,
        derived_events: Path | None,
    ) -> None:
        self._plan, self._styles, self._output = plan, styles, output
        self._fluents = arities(plan, EntityKind.FLUENT, wanted)
        self._events = arities(plan, EntityKind.EVENT) if derived_events is not None else {}
        self._intervals_to = places(self._fluents, output, styles[0], "--output", "--fluent NAME")
        self._events_to = places(self._events, derived_events, styles[1], "--derived-events")

    def __call__(
        self,
        tables: Iterable[tuple[pa.Table, pa.Table]],
        scale: TimeScale | None,
        before_output: Callable[[], None] | None = None,
    ) -> None:
        """Writes the results of all query times."""
        from holdsfor.columns.report import EVENTS, INTERVALS
        from holdsfor.io.scaled import EVENT_TIMES, INTERVAL_TIMES

        listed = [(INTERVALS.empty_table(), EVENTS.empty_table()), *tables]
        found, happened = zip(*listed, strict=True)
        intervals = with_arguments(found, "fluent", self._fluents, self._plan)
        if not self._fluents:
            intervals, self._intervals_to = iter([("", INTERVALS.empty_table())]), {"": self._output}
        write_tables(intervals, self._intervals_to, self._styles[0], before_output, scale=scale, times=INTERVAL_TIMES)
        happenings = with_arguments(happened, "event", self._events, self._plan)
        write_tables(happenings, self._events_to, self._styles[1], scale=scale, times=EVENT_TIMES)


def with_arguments(
    found: Sequence[pa.Table], column: str, named: Arities, plan: Plan
) -> Iterator[tuple[str, pa.Table]]:
    """Splits a table by fluent or event, with a column per argument."""
    import pyarrow as pa

    from holdsfor.io.arguments import arguments_added, rows_named

    table = pa.concat_tables(found)
    kind = EntityKind.EVENT if column == "event" else EntityKind.FLUENT
    for name, arity in named.items():
        names = argument_columns(plan.analysis.written, kind, name, arity, table.column_names)
        yield name, arguments_added(rows_named(table, column, name), column, name, names)
