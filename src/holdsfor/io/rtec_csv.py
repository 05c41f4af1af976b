"""Reads files in RTEC's stream format: `name|arrival|occurrence|arg…` and its forms for input fluents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.compiler.analysis.arithmetic_arguments import ArithmeticArguments
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.io.builder import Builder, Reading
from holdsfor.io.layouts import Layouts
from holdsfor.io.parallel import in_order
from holdsfor.io.rejects import Rejects
from holdsfor.io.rtec_rows import ParsedRows, parse
from holdsfor.io.sources import blocks, shown_name

OnRows = Callable[[int], None]
"""A callback that receives the number of rows read so far."""


def read_rtec(
    paths: Iterable[str | Path],
    entities: Entities,
    dictionary: Dictionary | None = None,
    rejects: Rejects | None = None,
    on_rows: OnRows | None = None,
    arithmetic: ArithmeticArguments | None = None,
) -> Reading:
    """Reads files, in any order of rows; `-` is standard input.

    Malformed rows go to `rejects`. Rows with names that no rule mentions are counted. Numbers in `arithmetic` arguments
    stay numbers.
    """
    layouts = Layouts(entities, arithmetic)
    builder = Builder(rejects or Rejects())
    for path in paths:
        line = 0
        for parsed in in_order(lambda block: parse(block, layouts), blocks(path)):
            collect(parsed, builder, shown_name(path), line)
            line += parsed.lines
            if on_rows is not None:
                on_rows(builder.rows)
    return builder.finish(Dictionary() if dictionary is None else dictionary)


def collect(parsed: ParsedRows, builder: Builder, source: str, line: int) -> None:
    """Adds the result of a piece of a file that begins after `line` lines."""
    builder.rows += parsed.lines - parsed.blank
    for piece in parsed.pieces:
        builder.add(piece)
    for name, count in parsed.unknown:
        builder.add_unknown(name, count)
    builder.rejects.add(source, [_moved(table, line) for table in parsed.refused])


def _moved(table: pa.Table, lines: int) -> pa.Table:
    return table.set_column(0, "line", pc.add(table["line"], lines))
