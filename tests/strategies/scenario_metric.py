"""Random metric rules about the fluents and events of an event description, as text.

A group is one or two predicates, which may read themselves and each other at earlier times. They read events and
boolean fluents; a rule is safe by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.strategies.scenario_words import CONSTANTS, ITEM, LETTER, NUMBER, TRUTH, Pen, Readable, Signature

_BOUNDS = ("0", "0", "1", "2", "3", "1/2", "5/2", "1/3")
_LENGTHS = ("1", "2", "4", "1/2", "3/2", "0")


@dataclass(frozen=True)
class MetricKind:
    """What may occur in metric rules."""

    future: bool = True
    recursion: bool = True
    weight: int = 9
    """How often a group is one of metric predicates, against 6 for a simple fluent."""


@dataclass
class MetricGroup:
    """Rules and facts of some predicates. `knows_future` is what the past of one may change with."""

    rules: list[str] = field(default_factory=list)
    knows_future: bool = False
    read: list[Signature] = field(default_factory=list)


def metric_group(pen: Pen, readable: Readable, heads: Sequence[Signature], kind: MetricKind) -> MetricGroup:
    """Rules for some predicates."""
    fluents = [fluent for fluent in readable.fluents if fluent.value == TRUTH and not fluent.inside]
    sources = [*(event for event in readable.events if not event.inside), *fluents, *fluents]
    writer = _Writer(pen, sources, kind)
    for head in heads:
        for _ in range(pen.weighted([(4, 1), (3, 2)])):
            writer.rule(head, sources)
    if kind.recursion and pen.chance(40):
        for head in heads:
            writer.recursive_rule(head, heads)
    if pen.chance(15):
        writer.fact(pen.pick(heads))
    return writer.group


class _Writer:
    def __init__(self, pen: Pen, sources: Sequence[Signature], kind: MetricKind) -> None:
        self._pen, self._sources, self._kind = pen, sources, kind
        self.group = MetricGroup()
        self._bound: dict[str, list[str]] = {}

    def rule(self, head: Signature, sources: Sequence[Signature]) -> None:
        """A rule that reads finished things only."""
        self._bound = {}
        body = [self._condition(self._pen.pick(sources)) for _ in range(self._pen.weighted([(4, 1), (4, 2), (1, 3)]))]
        self._finish(head, body)

    def recursive_rule(self, head: Signature, heads: Sequence[Signature]) -> None:
        """A rule that carries what its group says on through time."""
        self._bound = {}
        body = [
            f"Diamondminus{self._pen.pick(('[1,1]', '[1,2]', '[3/2,2)', '(0,3]'))} {self._atom(self._pen.pick(heads))}"
        ]
        if self._pen.chance(70):
            body.append(self._condition(self._pen.pick(self._sources)))
        self._finish(head, body)

    def fact(self, head: Signature) -> None:
        """A fact of a predicate."""
        args = ",".join(self._pen.pick(CONSTANTS[sort]) for sort in head.sorts)
        start = self._pen.number(-2, 9)
        when = self._pen.pick((f"{start}", f"[{start},{start + 3})", f"({start},{start + 5}/2]", f"[{start},inf)"))
        name = f"{head.name}({args})" if args else head.name
        self.group.rules.append(f"{name}@{when}" if when[0] in "([" else f"{name}@[{when},{when}]")

    def _finish(self, head: Signature, body: list[str]) -> None:
        if self._pen.chance(30):
            body.append(f"not {self._negated()}")
        if self._pen.chance(10) and len(self._bound.get(ITEM, ())) > 1:
            body.append(f"{self._bound[ITEM][0]} != {self._bound[ITEM][1]}")
        args = [self._pen.pick(self._bound.get(sort) or CONSTANTS[sort]) for sort in head.sorts]
        box = f"Boxplus{self._range()} " if self._pen.chance(15) else ""
        name = f"{head.name}({','.join(args)})" if args else head.name
        self.group.rules.append(f"{box}{name} :- {', '.join(body)}")

    def _condition(self, source: Signature) -> str:
        if ITEM in source.sorts and self._pen.chance(8):
            return self._count(source)
        if self._pen.chance(20):
            left, right = self._atom(self._pen.pick(self._sources), binds=False), self._operators(self._atom(source))
            operator = "Until" if self._looks_ahead() else "Since"
            return f"{left} {operator}{self._range()} {right}" if " " not in right else right
        return self._operators(self._atom(source))

    def _count(self, source: Signature) -> str:
        place = source.sorts.index(ITEM)
        args = ["Yc" if at == place else "_" for at in range(len(source.sorts))]
        self._note(source)
        self._bound.setdefault(NUMBER, []).append("C")
        return (
            f"C = count(Yc : {source.name}({','.join(args)}))"
            if "C" not in self._bound[NUMBER][:-1]
            else f"{source.name}({','.join('_' * len(args))})"
        )

    def _negated(self) -> str:
        source = self._pen.pick(self._sources)
        args = [self._pen.pick(self._bound.get(sort) or CONSTANTS[sort]) for sort in source.sorts]
        self._note(source)
        atom = f"{source.name}({','.join(args)})" if args else source.name
        return self._operators(atom) if self._pen.chance(40) else atom

    def _operators(self, atom: str) -> str:
        for _ in range(self._pen.weighted([(4, 0), (5, 1), (2, 2)])):
            ahead = self._looks_ahead()
            box = self._pen.chance(40)
            word = ("Boxplus" if ahead else "Boxminus") if box else ("Diamondplus" if ahead else "Diamondminus")
            atom = f"{word}{self._range()} {atom}"
        return atom

    def _looks_ahead(self) -> bool:
        ahead = self._kind.future and self._pen.chance(12)
        self.group.knows_future |= ahead
        return ahead

    def _range(self) -> str:
        low, length = self._pen.pick(_BOUNDS), self._pen.pick(_LENGTHS)
        if length == "0":
            return f"[{low},{low}]"
        high = "inf" if self._pen.chance(8) else _sum(low, length)
        close = ")" if high == "inf" else self._pen.pick("])")
        return f"{self._pen.pick('[[(')}{low},{high}{close}"

    def _atom(self, source: Signature, *, binds: bool = True) -> str:
        self._note(source)
        args = []
        for sort in source.sorts:
            known = self._bound.get(sort, [])
            how = self._pen.weighted([(6, "known" if known else "new"), (3 if binds else 0, "new"), (1, "constant")])
            if how == "known" and known:
                args.append(self._pen.pick(known))
            elif how == "new" and binds:
                args.append(f"{LETTER[sort]}{len(known)}")
                self._bound.setdefault(sort, []).append(args[-1])
            else:
                args.append(self._pen.pick(CONSTANTS[sort]))
        return f"{source.name}({','.join(args)})" if args else source.name

    def _note(self, source: Signature) -> None:
        self.group.read.append(source)


def _sum(one: str, other: str) -> str:
    def halves(text: str) -> tuple[int, int]:
        up, _, down = text.partition("/")
        return int(up), int(down or 1)

    (a, b), (c, d) = halves(one), halves(other)
    return f"{a * d + c * b}/{b * d}"
