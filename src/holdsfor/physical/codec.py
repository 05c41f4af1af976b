"""Encodes and decodes plans as rows of 64-bit words, driven by the types of their fields.

A record is written as its fields in order. Where several kinds of records are possible, the number of the kind comes
first. A sequence is its length followed by its items. A text is its index in the list of texts. An optional value is
preceded by a word that says whether it is present. Fields without meaning for evaluation, such as lines, can be left
out.
"""

from __future__ import annotations

import struct
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cache, reduce
from operator import or_
from typing import Any, Union, get_args, get_origin, get_type_hints

from holdsfor.physical import instructions, metric
from holdsfor.physical.instructions import Constant, Site

KINDS: dict[type, int] = {
    kind: number
    for number, kind in enumerate(
        (
            instructions.Constant,
            instructions.Register,
            instructions.Anything,
            instructions.Structure,
            instructions.Apply,
            instructions.Calendar,
            instructions.Events,
            instructions.Holding,
            instructions.Edges,
            instructions.Endable,
            instructions.Facts,
            instructions.Call,
            instructions.Compare,
            instructions.Equal,
            instructions.Assign,
            instructions.Negate,
            instructions.Choose,
            instructions.Branch,
            instructions.Collect,
            instructions.Domain,
            instructions.Lookup,
            instructions.Operate,
            instructions.Empty,
            instructions.Copy,
            instructions.ListCall,
            instructions.Spell,
            instructions.Read,
            metric.MetricScan,
            metric.MetricTest,
            metric.MetricTotal,
            metric.MetricMove,
            metric.MetricErode,
            metric.MetricLast,
            metric.MetricJoin,
        ),
        1,
    )
}
"""Records that can occur where other kinds can too; their kind number comes first. The position determines all
others.
"""
_BY_NUMBER = {number: kind for kind, number in KINDS.items()}

_NAME, _INTEGER, _REAL, _BIG = range(4)
_LIMIT = 1 << 61
_FIRST, _LAST = -(1 << 63), (1 << 63) - 1
_DEEPEST = 200
"""The maximum nesting depth of records; the core has the same limit."""


class PlanWriter:
    """Words and texts being written. `sites` are the source positions, by number."""

    def __init__(self, *, meaning_only: bool = False) -> None:
        self.words: list[int] = []
        self.texts: dict[str, int] = {}
        self.sites: list[Site] = []
        self.meaning_only = meaning_only

    def text(self, text: str) -> None:
        """A text."""
        self.words.append(self.texts.setdefault(text, len(self.texts)))


class Reader:
    """Words and texts being read."""

    def __init__(self, words: tuple[int, ...], texts: list[str]) -> None:
        self._words, self._texts = words, texts
        self._at = 0
        self.depth = 0

    def word(self) -> int:
        """The next word."""
        if self._at == len(self._words):
            raise ValueError("this is no plan: it ends too early")
        self._at += 1
        return self._words[self._at - 1]

    def length(self) -> int:
        """The number of items that follow; each has at least one word."""
        found = self.word()
        if not 0 <= found <= len(self._words):
            raise ValueError("this is no plan: a length is wrong")
        return found

    def text(self) -> str:
        """A text."""
        found = self.word()
        if not 0 <= found < len(self._texts):
            raise ValueError("this is no plan: a text is missing")
        return self._texts[found]

    @property
    def is_at_end(self) -> bool:
        """Whether all words have been read."""
        return self._at == len(self._words)


class Codec:
    """How values of a type are written and read."""

    __slots__ = ("read", "write")

    def __init__(self, write: Callable[[Any, PlanWriter], None], read: Callable[[Reader], Any]) -> None:
        self.write, self.read = write, read


@cache
def codec(kind: Any) -> Codec:
    """The codec of a type. Field codecs are looked up on first use, because types may be recursive."""
    if kind is Site:
        return Codec(_write_site, _read_site)
    if kind is str:
        return Codec(lambda value, into: into.text(value), lambda source: source.text())
    if kind in (int, bool) or (isinstance(kind, type) and issubclass(kind, IntEnum)):
        # A distance that exceeds the time range is FOREVER.
        return Codec(
            lambda value, into: into.words.append(
                value if _FIRST <= value <= _LAST else _FIRST if value < 0 else _LAST
            ),
            lambda source: _whole(kind, source.word()),
        )
    if get_origin(kind) is tuple:
        return _tuple_codec(get_args(kind))
    if get_origin(kind) in (Union, types.UnionType):
        return _union_codec(get_args(kind))
    if is_dataclass(kind) and isinstance(kind, type):
        return _record_codec(kind)
    raise TypeError(str(kind))


def _whole(kind: Any, word: int) -> Any:
    try:
        return kind(word)
    except ValueError:
        raise ValueError("this is no plan: a kind is unknown") from None


def _tuple_codec(args: tuple[Any, ...]) -> Codec:
    if args[-1] is Ellipsis:
        item = args[0]

        def write(value: Any, into: PlanWriter) -> None:
            into.words.append(len(value))
            put = codec(item).write
            for one in value:
                put(one, into)

        def read(source: Reader) -> Any:
            count, get = source.length(), codec(item).read
            return tuple([get(source) for _ in range(count)])

        return Codec(write, read)

    def write_all(value: Any, into: PlanWriter) -> None:
        into.words.append(len(value))
        for kind, one in zip(args, value, strict=True):
            codec(kind).write(one, into)

    def read_all(source: Reader) -> Any:
        if source.word() != len(args):
            raise ValueError("this is no plan: something is incomplete")
        return tuple([codec(kind).read(source) for kind in args])

    return Codec(write_all, read_all)


def _union_codec(args: tuple[Any, ...]) -> Codec:
    if type(None) in args:
        inner: Any = reduce(or_, (one for one in args if one is not type(None)))

        def write(value: Any, into: PlanWriter) -> None:
            into.words.append(int(value is not None))
            if value is not None:
                codec(inner).write(value, into)

        return Codec(write, lambda source: codec(inner).read(source) if source.word() else None)
    numbers = {KINDS[one] for one in args}

    def write_kind(value: Any, into: PlanWriter) -> None:
        kind: Any = type(value)
        into.words.append(KINDS[kind])
        codec(kind).write(value, into)

    def read_kind(source: Reader) -> Any:
        number = source.word()
        if number not in numbers:
            raise ValueError("this is no plan: a kind is unknown")
        return codec(_BY_NUMBER[number]).read(source)

    return Codec(write_kind, read_kind)


def _record_codec(kind: type) -> Codec:
    if kind is Constant:
        return Codec(lambda value, into: _write_constant(value.value, into), _read_constant)
    hints = get_type_hints(kind)
    parts = [(one.name, one.compare, hints[one.name]) for one in fields(kind)]
    writers: list[list[tuple[str, Callable[[Any, PlanWriter], None]]]] = []
    """Two lists: all fields, and the fields that have a meaning for evaluation."""

    def write(value: Any, into: PlanWriter) -> None:
        if not writers:
            writers.append([(name, codec(part).write) for name, _, part in parts])
            writers.append([(name, codec(part).write) for name, is_meaning, part in parts if is_meaning])
        for name, put in writers[into.meaning_only]:
            put(getattr(value, name), into)

    def read(source: Reader) -> Any:
        source.depth += 1
        if source.depth > _DEEPEST:
            raise ValueError("this is no plan: it is too deep")
        found = kind(*[codec(part).read(source) for _, _, part in parts])
        source.depth -= 1
        return found

    return Codec(write, read)


def _write_constant(value: str | float, into: PlanWriter) -> None:
    if isinstance(value, str):
        into.words.append(_NAME)
        into.text(value)
    elif isinstance(value, float):
        into.words += [_REAL, struct.unpack("<q", struct.pack("<d", value))[0]]
    elif -_LIMIT <= value < _LIMIT:
        into.words += [_INTEGER, value]
    else:
        into.words.append(_BIG)
        into.text(str(value))


def _read_constant(source: Reader) -> Constant:
    match source.word():
        case 0:
            return Constant(source.text())
        case 1:
            return Constant(source.word())
        case 2:
            number: float = struct.unpack("<d", struct.pack("<q", source.word()))[0]
            return Constant(number)
        case 3:
            return Constant(int(source.text()))
        case _:
            raise ValueError("this is no plan: a constant is of no kind")


def _write_site(value: Site, into: PlanWriter) -> None:
    if into.meaning_only:
        return
    into.words += [len(into.sites), len(value.row)]
    into.sites.append(value)
    for name, given in value.row:
        into.text(name)
        into.words.append(int(isinstance(given, Constant)))
        if isinstance(given, Constant):
            _write_constant(given.value, into)
        else:
            into.words.append(given)


def _read_site(source: Reader) -> Site:
    source.word()
    row: list[tuple[str, int | Constant]] = []
    for _ in range(source.length()):
        name = source.text()
        row.append((name, _read_constant(source) if source.word() else source.word()))
    return Site(row=tuple(row))
