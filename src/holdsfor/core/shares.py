"""Engines of a distributed stream: the keys of a bucket come and go in parts, so that only those are there that are needed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine, Program, Rows, Share, plan_shape
from holdsfor.core.host import FOREVER
from holdsfor.core.notes import NONE
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.diagnostics import HoldsforError
from holdsfor.physical.encode import fingerprint
from holdsfor.records import record
from holdsfor.syntax.terms import Term

MOST_PARTS = 65_536
"""A bucket has at most so many parts."""


@record
class KeyPart:
    """One of so many parts of the keys of a bucket. Of twice as many parts, two have the keys of one of these."""

    number: int
    of: int

    def cut(self, pieces: int) -> list[KeyPart]:
        """The same keys in so many parts, a power of two."""
        return [KeyPart(self.number + place * self.of, self.of * pieces) for place in range(pieces)]


@record
class SavedKeys:
    """The keys of a part as bytes: how many there are, how many rows they keep, how many intervals they show, and when
    something happens to one of them by itself.
    """

    part: KeyPart
    data: bytes
    keys: int
    rows: int
    shown: int
    wake: int


@record
class Lost:
    """An input that took back what was not there: its number, symbol, arguments, time, and end and value of intervals."""

    number: int
    symbol: Symbol
    args: tuple[Term, ...]
    start: int
    end: int | None
    value: Term | None


def identity_of(program: Program) -> str:
    """The fingerprint of a plan, and of what states depend on: other background facts may leave that as it is."""
    shape = hashlib.sha256(repr(plan_shape(program.lowered)).encode()).hexdigest()[:32]
    return f"{fingerprint(program.lowered.plan).hex()}/{shape}"


class ShareEngine(Engine):
    """An engine for the keys of one bucket of a stage. It keeps changes, of some fluents only if their names are given."""

    def __init__(
        self,
        plan: Plan,
        program: Program,
        share: Share,
        window: int,
        fluents: Collection[str] | None = None,
        *,
        origin: int | None = None,
        events: bool = False,
    ) -> None:
        super().__init__(plan, window, origin=origin, threads=1, changes=True, program=program, share=share)
        self._stage, self._number = program.lowered.plan.stages[share.stage], share.stage
        self._saved_with: bytes | None = None
        if fluents is not None:
            self.core.report_only([symbol.name in fluents for symbol in self.symbols])
        if events:
            self.core.keep_event_changes()

    @property
    def identity(self) -> str:
        """That of its plan."""
        return identity_of(self._program)

    def expect(self, identity: str) -> bool:
        """Whether states are of a plan with other facts. Then `evaluate_anew` follows when all of them have been loaded."""
        own = self.identity
        if identity == own:
            return False
        plan, _, shape = identity.partition("/")
        if shape != own.partition("/")[2]:
            raise HoldsforError(
                "these background facts change how the rules are evaluated: continue with the earlier ones, or begin with a "
                "new checkpoint"
            )
        self._saved_with = bytes.fromhex(plan)
        return True

    def evaluate_anew(self) -> None:
        """Evaluate all keys at the next query time."""
        self._saved_with = None
        self.core.mark_all_dirty()

    @property
    def asks_always(self) -> bool:
        """Whether something may happen at a query time that only the engine's host knows of."""
        return self._domains is not None

    @property
    def has_parts(self) -> bool:
        """Whether rows reach single keys only, so that the others need not be there."""
        program = self._program.lowered.plan
        has_keys = self._stage.key > 0 and not self._stage.is_tied
        has_keys = has_keys and not program.initially and self._domains is None
        return has_keys and not any(route.is_shared or route.parts for route in self._stage.inputs)

    # State

    def load_share(self, saved: Sequence[bytes]) -> None:
        """Take in what was saved of this share, or of others: keys of others are left out."""
        before = self._query
        self._taken_up(partial(self.core.load_share, plan=self._saved_with), list(saved), goes_on=True)
        if before is not None:
            self._query = before if self._query is None else max(before, self._query)

    def save_rest(self) -> bytes:
        """What is not of single keys."""
        found: bytes = self.core.save_rest(self.words.word(self._noted(NONE)))
        return found

    def save_keys(self, parts: Sequence[KeyPart]) -> list[SavedKeys]:
        """The keys of some parts."""
        found = self.core.save_keys([(part.number, part.of) for part in parts])
        return [SavedKeys(part, *one) for part, one in zip(parts, found, strict=True)]

    def targets(self, rows: Rows) -> tuple[Ints, Ints]:
        """The buckets of its stage that rows go to: numbers of rows, and a bucket for each."""
        words = rows.words.reshape(-1)
        found: tuple[Ints, Ints] = self.core.targets(self._number, rows.table, len(rows), words)
        return found

    def reached(self, query: int) -> Ints:
        """The parts, of as many as there can be, that rows reach which wait for a query time."""
        return np.array(self.core.reached(query, MOST_PARTS), np.int64)

    @property
    def next_wake(self) -> int:
        """When something happens by itself to keys that are there."""
        found: int = self.core.next_wake()
        return found

    # Changes

    def event_changes(self, vocabulary: Vocabulary) -> Iterator[tuple[Symbol, Ints, Ints, list[Ints]]]:
        """Derived events since the query time before: which have not happened after all, times, and codes of arguments."""
        for route in self._stage.members:
            symbol = self.symbols[route.table]
            if symbol.kind is EntityKind.EVENT:
                removed, time, words = self.core.event_changes(route.table)
                if len(time):
                    yield symbol, removed, time, list(vocabulary.columns(words, self._width(route.table)))

    def lost(self) -> Iterable[Lost]:
        """The inputs of the last query time that took back what was not there."""
        for number, table, start, end, value, args in self.core.lost():
            symbol, term = self.symbols[table], self.words.term
            is_event = symbol.kind is EntityKind.EVENT
            arguments = tuple(term(word) for word in args)
            last = None if is_event or end == FOREVER else end
            yield Lost(number, symbol, arguments, start, last, None if is_event else term(value))
