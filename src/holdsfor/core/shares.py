"""Engines of a distributed stream: the keys of a bucket are loaded and saved in parts, on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine, Share
from holdsfor.core.host import FOREVER
from holdsfor.core.notes import NONE
from holdsfor.core.program import EncodedProgram, plan_shape
from holdsfor.core.rows import Rows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.diagnostics import HoldsforError
from holdsfor.physical.encode import fingerprint
from holdsfor.records import record
from holdsfor.syntax.terms import Term

MOST_PARTS = 65_536
"""The most parts of a bucket."""


@record
class KeyPart:
    """A part of the keys of a bucket, among `of` parts. With twice as many parts, two of them contain these keys."""

    number: int
    of: int

    def cut(self, pieces: int) -> list[KeyPart]:
        """The same keys divided into parts; their number is a power of two."""
        return [KeyPart(self.number + place * self.of, self.of * pieces) for place in range(pieces)]


@record
class SavedKeys:
    """The keys of a part as bytes, with the number of keys, kept rows and visible intervals, and the next time at which
    something happens without input.
    """

    part: KeyPart
    data: bytes
    keys: int
    rows: int
    shown: int
    wake: int


@record
class Lost:
    """A retraction without a matching row: its number, symbol, arguments, time, and end and value of intervals."""

    number: int
    symbol: Symbol
    args: tuple[Term, ...]
    start: int
    end: int | None
    value: Term | None


def identity_of(program: EncodedProgram) -> str:
    """The fingerprint of a plan and of everything that states depend on. Some changes of background facts do not affect
    it.
    """
    shape = hashlib.sha256(repr(plan_shape(program.lowered)).encode()).hexdigest()[:32]
    return f"{fingerprint(program.lowered.plan).hex()}/{shape}"


class ShareEngine(Engine):
    """An engine for the keys of one bucket of a stage. It keeps changes; given fluent names, only of those. One made
    `like` another engine has the same words.
    """

    def __init__(
        self,
        plan: Plan,
        program: EncodedProgram,
        share: Share,
        window: int,
        fluents: Collection[str] | None = None,
        *,
        origin: int | None = None,
        events: bool = False,
        like: Engine | None = None,
    ) -> None:
        super().__init__(plan, window, origin=origin, threads=1, changes=True, program=program, share=share, like=like)
        self._stage, self._number = program.lowered.plan.stages[share.stage], share.stage
        self._saved_with: bytes | None = None
        if fluents is not None:
            self.core.report_only([symbol.name in fluents for symbol in self.symbols])
        if events:
            self.core.keep_event_changes()

    @property
    def identity(self) -> str:
        """The identity of its plan."""
        return identity_of(self._program)

    def expect(self, identity: str) -> bool:
        """Returns whether states belong to a plan with other facts. If so, call `evaluate_anew` after loading all of
        them.
        """
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
        """Marks all keys for evaluation at the next query time."""
        self._saved_with = None
        self.core.mark_all_dirty()

    @property
    def asks_always(self) -> bool:
        """Whether something may happen at a query time that only the host of the engine knows."""
        return self._domains is not None

    @property
    def has_parts(self) -> bool:
        """Whether rows only affect single keys, so that other keys need not be loaded."""
        program = self._program.lowered.plan
        has_keys = self._stage.key > 0 and not self._stage.is_tied
        has_keys = has_keys and not program.initially and self._domains is None
        return has_keys and not any(route.is_shared or route.parts for route in self._stage.inputs)

    # State

    def load_share(self, saved: Sequence[bytes]) -> None:
        """Loads saved keys of this share or of others; keys of other buckets are ignored."""
        before = self._query
        self._restore(partial(self.core.load_share, plan=self._saved_with), list(saved), is_merge=True)
        if before is not None:
            self._query = before if self._query is None else max(before, self._query)

    def save_rest(self) -> bytes:
        """The state that does not belong to single keys."""
        found: bytes = self.core.save_rest(self.words.word(self._noted(NONE)))
        return found

    def save_keys(self, parts: Sequence[KeyPart]) -> list[SavedKeys]:
        """The keys of some parts."""
        found = self.core.save_keys([(part.number, part.of) for part in parts])
        return [SavedKeys(part, *one) for part, one in zip(parts, found, strict=True)]

    def targets(self, rows: Rows) -> tuple[Ints, Ints]:
        """The buckets of rows in its stage: row indices, and a bucket for each."""
        words = rows.words.reshape(-1)
        found: tuple[Ints, Ints] = self.core.targets(self._number, rows.table, len(rows), words)
        return found

    def reached(self, query: int) -> Ints:
        """The parts, by the finest division, that waiting rows of a query time affect."""
        return np.array(self.core.reached(query, MOST_PARTS), np.int64)

    @property
    def next_wake(self) -> int:
        """The next time at which something happens to loaded keys without input."""
        found: int = self.core.next_wake()
        return found

    # Changes

    def event_changes(self, vocabulary: Vocabulary) -> Iterator[tuple[Symbol, Ints, Ints, list[Ints]]]:
        """Changes of derived events since the previous query time: retraction flags, times, and codes of arguments."""
        for route in self._stage.members:
            symbol = self.symbols[route.table]
            if symbol.kind is EntityKind.EVENT:
                removed, time, words = self.core.event_changes(route.table)
                if len(time):
                    yield symbol, removed, time, list(vocabulary.columns(words, self._width(route.table)))

    def lost(self) -> Iterable[Lost]:
        """The retractions without a matching row at the last query time."""
        for number, table, start, end, value, args in self.core.lost():
            symbol, term = self.symbols[table], self.words.term
            is_event = symbol.kind is EntityKind.EVENT
            arguments = tuple(term(word) for word in args)
            last = None if is_event or end == FOREVER else end
            yield Lost(number, symbol, arguments, start, last, None if is_event else term(value))
