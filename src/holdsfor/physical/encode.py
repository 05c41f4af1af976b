"""A plan as bytes: a row of 64-bit words, and the texts that they refer to.

A record is the number of its kind and then its fields in order, a sequence its length and then its items, a text its
number among the texts. Sites are numbered: the core knows the number, and the registers of the row.
"""

from __future__ import annotations

import struct
from dataclasses import fields, is_dataclass
from typing import Any

from holdsfor.diagnostics import Span
from holdsfor.physical import model

_KINDS: dict[type, int] = {
    kind: number
    for number, kind in enumerate(
        (
            model.Constant,
            model.Register,
            model.Anything,
            model.Structure,
            model.Apply,
            model.Events,
            model.Holding,
            model.Edges,
            model.Endable,
            model.Facts,
            model.Call,
            model.Compare,
            model.Equal,
            model.Assign,
            model.Negate,
            model.Choose,
            model.Branch,
            model.Collect,
            model.Domain,
            model.Lookup,
            model.Operate,
            model.Empty,
            model.Copy,
            model.ListCall,
        ),
        1,
    )
}
"""Records that may stand where others may: their number comes first. All others are known from their place."""

_NAME, _INTEGER, _REAL, _BIG = range(4)
_LIMIT = 1 << 61
_FIRST, _LAST = -(1 << 63), (1 << 63) - 1


class Encoder:
    """Writes a plan; `sites` are the places in the source in the order of their numbers."""

    def __init__(self) -> None:
        self._words: list[int] = []
        self._texts: dict[str, int] = {}
        self.sites: list[model.Site] = []

    def encode(self, plan: model.PhysicalPlan) -> bytes:
        """The words and the texts, each with their number before them."""
        self._put(plan)
        texts = [text.encode() for text in self._texts]
        head = struct.pack("<qq", len(self._words), len(texts))
        lengths = struct.pack(f"<{len(texts)}q", *(len(text) for text in texts))
        return head + struct.pack(f"<{len(self._words)}q", *self._words) + lengths + b"".join(texts)

    def _put(self, given: Any) -> None:
        match given:
            case bool() | int():
                # A distance in time that is beyond all times is for ever.
                self._words.append(max(_FIRST, min(int(given), _LAST)))
            case str():
                self._words.append(self._texts.setdefault(given, len(self._texts)))
            case tuple():
                self._words.append(len(given))
                for item in given:
                    self._put(item)
            case model.Constant(value=value):
                self._words.append(_KINDS[model.Constant])
                self._constant(value)
            case model.Site(row=row):
                self._words.append(len(self.sites))
                self.sites.append(given)
                self._put(tuple(given for _, given in row if isinstance(given, int)))
            case _ if is_dataclass(given):
                if type(given) in _KINDS:
                    self._words.append(_KINDS[type(given)])
                for one in fields(given):
                    value = getattr(given, one.name)
                    if not isinstance(value, Span):
                        self._field(one.name, value)
            case _:
                raise TypeError(type(given).__name__)

    def _field(self, name: str, value: Any) -> None:
        """Some fields may be missing, and then a word before them says so."""
        if name in _OPTIONAL:
            self._words.append(int(value is not None))
            if value is None:
                return
        self._put(value)

    def _constant(self, value: str | float) -> None:
        if isinstance(value, str):
            self._words += [_NAME, self._texts.setdefault(value, len(self._texts))]
        elif isinstance(value, float):
            self._words += [_REAL, struct.unpack("<q", struct.pack("<d", value))[0]]
        elif -_LIMIT <= value < _LIMIT:
            self._words += [_INTEGER, value]
        else:
            self._words += [_BIG, self._texts.setdefault(str(value), len(self._texts))]


_OPTIONAL = frozenset({"tail", "least", "most", "otherwise", "bound", "effect", "value"})
