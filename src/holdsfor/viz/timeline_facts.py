"""Charts the results of a metric program, with rational times and open or closed ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.columns.dictionary import Dictionary, plain_text
from holdsfor.columns.frames import row_keys
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.facts import Facts, FactSet
from holdsfor.columns.tables import FOREVER
from holdsfor.viz.timeline_chart import Chart
from holdsfor.viz.timeline_collect import Collector, ResultSelection, known_names, of_entities, require_entities


def facts_chart(facts: FactSet, dictionary: Dictionary, choice: ResultSelection, title: str) -> Chart:
    """The maximal intervals of facts."""
    reach = choice.reach(facts.scale)
    known = {name for name, _ in facts.tables}
    wanted = known if choice.names is None else known_names(choice.names, known, "predicate")
    texts = [plain_text(value) for value in dictionary.values] if choice.entities is not None else []
    if choice.entities is not None:
        require_entities(choice.entities, _entities(facts, texts))
    collector = Collector()
    for (name, _), table in sorted(facts.tables.items()):
        if name not in wanted:
            continue
        found = table if reach is None else _within(table, reach)
        if choice.entities is not None:
            found = found.take(of_entities(found.args, texts, choice.entities, found.rows))
        if found.rows:
            _add(collector, name, found, dictionary)
    return collector.chart(title, scale=facts.scale, time_scale=choice.time_scale, reach=reach, marks_ends=True)


def _entities(facts: FactSet, texts: Sequence[str]) -> set[str]:
    """The texts of all arguments."""
    columns = [np.unique(column) for table in facts.tables.values() for column in table.args]
    return {texts[code] for column in columns for code in column.tolist()}


def _within(table: Facts, reach: tuple[int, int]) -> Facts:
    low, high = reach
    return table.take(np.flatnonzero((table.start < 2 * high + 1) & (table.end > 2 * low)))


def _add(collector: Collector, name: str, table: Facts, dictionary: Dictionary) -> None:
    def texts(column: Ints) -> list[str]:
        return [str(dictionary.values[code]) for code in column.tolist()]

    def labels(first: Ints) -> list[str]:
        if not table.args:
            return [name] * len(first)
        rows = zip(*(texts(column[first]) for column in table.args), strict=True)
        return [f"{name}({','.join(args)})" for args in rows]

    def groups(first: Ints) -> list[str]:
        return texts(table.args[0][first]) if table.args else [""] * len(first)

    keys = row_keys(list(table.args)) if table.args else np.zeros(table.rows, np.int64)
    lane = collector.lanes(keys, labels, groups)
    is_first, is_last = table.start <= -FOREVER, table.end >= FOREVER
    # Cells are half-open. Even cells are points; the following odd cell is the gap after the point.
    start, end = np.where(is_first, -FOREVER, table.start >> 1), np.where(is_last, FOREVER, table.end >> 1)
    kind = np.full(table.rows, collector.kind(name))
    collector.spans.append(
        (lane, kind, start, end, (table.start & 1).astype(np.bool_) | is_first, (table.end & 1) == 0)
    )
