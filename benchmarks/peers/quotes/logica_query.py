"""Quotes by Logica on DuckDB: the first offer after an acceptance begins an interval, the next acceptance ends it.

Logica compiles to SQL. That is done once, as rules are compiled once; what is timed is DuckDB running it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
from logica.compiler import universe
from logica.parser_py import parse

NEVER = 999_999
PROGRAM = """
@Engine("duckdb");
Event(name:, m:, c:, g:, t:) :- `(read_csv_auto('{path}'))`(name:, m:, c:, g:, t:);
Present(m:, c:, g:, t:) distinct :- Event(name: "present_quote", m:, c:, g:, t:);
Accept(m:, c:, g:, t:) distinct :- Event(name: "accept_quote", m:, c:, g:, t:);
Stop(m:, c:, g:, t:) distinct :- Accept(m:, c:, g:, t:);
Stop(m:, c:, g:, t: {never}) distinct :- Present(m:, c:, g:);
Start(m:, c:, g:, t:) :- Present(m:, c:, g:, t:), ~Accept(m:, c:, g:, t:);
Until(m:, c:, g:, start:, end? Min= t) distinct :- Start(m:, c:, g:, t: start), Stop(m:, c:, g:, t:), t > start;
Quote(m:, c:, g:, end:, start? Min= start) distinct :- Until(m:, c:, g:, start:, end:);
"""


@cache
def compiled(path: str) -> str:
    """The program as SQL."""
    rules = parse.ParseFile(PROGRAM.format(path=path, never=NEVER))["rule"]
    text: str = universe.LogicaProgram(rules).FormattedPredicateSql("Quote")
    return text


def answer(path: str) -> dict[str, Any]:
    """The intervals. The file has columns name, m, c, g and t."""
    found: dict[str, Any] = duckdb.sql(compiled(path)).fetchnumpy()
    return found


def rows(found: dict[str, Any]) -> list[tuple[str, str, str, int, int | None]]:
    """Merchant, consumer, goods, start and end of every interval."""
    columns = (found[name].tolist() for name in ("m", "c", "g", "start", "end"))
    return [
        (m, c, g, start + 1, None if end == NEVER else end + 1) for m, c, g, start, end in zip(*columns, strict=True)
    ]
