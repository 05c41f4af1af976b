"""The state of a metric stream as an Arrow table: one row for every fact that is kept, all constants spelled out.

| column | |
| --- | --- |
| `part` | `waiting`, `ahead`, `going on`, `armed` or `recent`: see `MetricState` and `Carried` |
| `stratum` | the number of the stratum, from 0; of facts that wait, 0 |
| `relation` | its name and arity; of what is armed, the number of the rule in its stratum |
| `args` | the arguments as canonical text |
| `start`, `end` | cells of the doubled time-line; null is before or after all time |

How far time has come, and the ticks to a unit, are in the metadata of the schema, with a fingerprint of the rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.metric.carried import Carried, MetricState
from holdsfor.engine.metric.facts import Facts, maximal
from holdsfor.engine.spelling import Spelled, codes_in, encoded
from holdsfor.engine.tables import FOREVER, times_in

VERSION = "1"
SCHEMA = pa.schema(
    [
        pa.field("part", pa.string(), nullable=False),
        pa.field("stratum", pa.int32(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("args", pa.list_(pa.field("item", pa.string(), nullable=False)), nullable=False),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
_PREFIX = "holdsfor."
PARTS = {"ahead": "ahead", "going on": "going_on", "armed": "armed", "recent": "recent"}
"""What is carried on, and the fields that it is in."""


def fingerprint(plan: MetricPlan) -> str:
    """A text that changes with the rules."""
    text = "\n".join([*map(repr, plan.rules), repr(plan.facts), repr(sorted(map(str, plan.outputs)))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def to_table(state: MetricState, plan: MetricPlan, dictionary: Dictionary) -> pa.Table:
    """A state as a table."""
    blocks = [block for block in _blocks(state) if block[3].rows]
    rows = np.array([facts.rows for *_, facts in blocks], np.int64)
    widths = np.repeat([len(facts.args) for *_, facts in blocks], rows) if blocks else EMPTY
    flat = [np.stack(facts.args, axis=1).reshape(-1) for *_, facts in blocks if facts.args]
    start, end = (_joined([getattr(facts, name) for *_, facts in blocks]) for name in ("start", "end"))
    columns = [
        _repeated([part for part, *_ in blocks], rows, pa.string()),
        _repeated([stratum for _, stratum, *_ in blocks], rows, pa.int32()),
        _repeated([name for _, _, name, _ in blocks], rows, pa.string()),
        pa.ListArray.from_arrays(
            pa.array(np.concatenate(([0], np.cumsum(widths))), pa.int32()),
            Spelled(dictionary).column(_joined(flat)),
            SCHEMA.field("args").type,
        ),
        pa.array(start, mask=start <= -FOREVER),
        pa.array(end, mask=end >= FOREVER),
    ]
    about = {"version": VERSION, "rules": fingerprint(plan), "scale": str(state.scale), "reached": str(state.reached)}
    return pa.table(columns, schema=SCHEMA.with_metadata({_PREFIX + name: text for name, text in about.items()}))


def _blocks(state: MetricState) -> Iterator[tuple[str, int, str, Facts]]:
    for relation, facts in state.waiting.items():
        yield "waiting", 0, str(relation), facts
    yield from carried_facts(state.carried)


def carried_facts(strata: Sequence[Carried]) -> Iterator[tuple[str, int, str, Facts]]:
    """What is carried on by some strata: which part of it, the stratum, a text for what it is about, and facts."""
    for number, carried in enumerate(strata):
        for part, name in PARTS.items():
            for key, facts in getattr(carried, name).items():
                yield part, number, str(key), facts


def put_back(carried: Carried, part: str, text: str, facts: Facts, relations: Mapping[str, Relation]) -> None:
    """Facts of a part to where they were; `relations` are those of the plan by their text."""
    getattr(carried, PARTS[part])[int(text) if part == "armed" else relations[text]] = facts


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else EMPTY


def _repeated(values: list[Any], rows: Ints, kind: Any) -> Any:
    return pa.array(values, kind).take(pa.array(np.repeat(np.arange(len(values)), rows)))


def from_table(table: pa.Table, plan: MetricPlan, dictionary: Dictionary) -> MetricState:
    """The state of a table; that of other rules is refused. Tables of one moment may be put together before."""
    stored = {key.decode(): text.decode() for key, text in (table.schema.metadata or {}).items()}
    about = {name: stored.get(_PREFIX + name) for name in ("version", "rules", "scale", "reached")}
    if None in about.values() or not table.schema.equals(SCHEMA):
        raise HoldsforError("this table is no saved state of a metric program")
    if about["version"] != VERSION:
        raise HoldsforError(f"the state was saved in version {about['version']} of the format; this is {VERSION}")
    if about["rules"] != fingerprint(plan):
        raise HoldsforError("this state belongs to other rules; run with those, or begin anew without it")
    state = MetricState(int(about["scale"] or 1), int(about["reached"] or 0), [Carried() for _ in plan.strata])
    _fill(state, table.combine_chunks(), plan, dictionary)
    return state


def _fill(state: MetricState, table: pa.Table, plan: MetricPlan, dictionary: Dictionary) -> None:
    if not table.num_rows:
        return
    part, stratum, name, args, start, end = (column.chunk(0) for column in table.columns)
    relations = relations_of(plan)
    parts, part_of = encoded(part)
    names, name_of = encoded(name)
    strata = stratum.to_numpy().astype(np.int64)
    offsets = args.offsets.to_numpy().astype(np.int64)
    flat = codes_in(args.values, dictionary)
    starts, ends = times_in(start, -FOREVER), times_in(end, FOREVER)
    keys = (strata * len(names) + name_of) * len(parts) + part_of
    for key in np.unique(keys).tolist():
        rows = np.flatnonzero(keys == key)
        rest, place = divmod(key, len(parts))
        number, of_name = divmod(rest, len(names))
        width = int(offsets[rows[0] + 1] - offsets[rows[0]])
        columns = tuple(flat[offsets[rows] + column] for column in range(width))
        facts = maximal([Facts(columns, starts[rows], ends[rows])])
        text = names[of_name]
        if parts[place] == "waiting":
            state.waiting[relations[text]] = facts
        else:
            put_back(state.carried[number], parts[place], text, facts, relations)


def relations_of(plan: MetricPlan) -> dict[str, Relation]:
    """All relations of a plan by their text."""
    found = (*plan.inputs, *(relation for stratum in plan.strata for relation in stratum.relations))
    return {str(relation): relation for relation in found}
