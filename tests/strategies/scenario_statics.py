"""Random rules of statically determined fluents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdsfor.ir import AllenMode, AllenRelation
from tests.strategies.scenario_bodies import distinct
from tests.strategies.scenario_words import (
    CONSTANTS,
    ITEM,
    LEFT_OUT,
    LETTER,
    MODE,
    NUMBER,
    TRUTH,
    Pen,
    Readable,
    Signature,
)

SETS = ("union_all", "intersect_all", "relative_complement_all")
WHOLE = ("complement_all", "seq", "allen", "intDurGreater", "intDurLess")
"""Operators whose result at a time-point may depend on other time-points, or reach beyond all data."""

METRIC = ("diamond_minus", "box_minus", "since", "diamond_plus", "box_plus", "until")
"""Operators that look back, and those that look ahead."""


@dataclass(frozen=True)
class StaticKind:
    """What may stand in a rule: all operators, or only those that work time-point by time-point."""

    operators: tuple[str, ...]
    guards: bool = True
    order: bool = True
    equal: bool = False
    """Whether all fluents of a rule must have the same variables."""
    siblings: int = 25
    """In how many of a hundred cases a pair is followed by another value of the same fluent, where it can be."""


ANY_KIND = StaticKind((*SETS, *SETS, *WHOLE, *METRIC))
POINTWISE_KIND = StaticKind(SETS, guards=False)


class StaticWriter:
    """Writes one `holdsFor` rule."""

    def __init__(self, pen: Pen, readable: list[Signature], head: Signature, kind: StaticKind) -> None:
        self._pen = pen
        self._readable = readable
        self._head = head
        self._kind = kind
        self._lists = 0
        self._unused: list[str] = []
        self._literals: list[str] = []
        self._variables: dict[str, list[str]] = {sort: [] for sort in LETTER}
        self._count = 0
        self._head_args = [self._variable(sort) for sort in head.sorts]
        self._used: set[str] = set()

    def _variable(self, sort: str) -> str:
        self._count += 1
        name = f"{LETTER[sort]}{self._count}"
        self._variables[sort].append(name)
        return name

    def _list(self) -> str:
        self._lists += 1
        return f"I{self._lists}"

    def rule(self) -> str:
        """The whole rule."""
        for _ in range(self._pen.weighted([(2, 1), (5, 2), (3, 3)])):
            self._unused.append(self._leaf())
        value = self._value()
        for _ in range(self._pen.weighted([(1, 0), (5, 1), (3, 2), (1, 3)])):
            self._unused.append(self._operation())
        if len(self._unused) > 1 and self._pen.chance(85):
            self._unused = [self._set_operation("union_all" if self._pen.chance(50) else "intersect_all", 3)]
        out = self._unused[-1]
        conditions = self._conditions()
        written = {name for literal in self._literals for name in _variables_of(literal)}
        for name in self._head_args:
            if name not in written:
                conditions.append(f"kind({name},_)" if name.startswith("X") else f"limit(_,{name})")
        body = ", ".join([*self._literals, *conditions])
        return f"holdsFor({self._head.term(self._head_args)}={value}, {out}) :- {body}."

    # Leaves

    def _leaf(self, out: str = "") -> str:
        if not out and self._lists == 0 and self._pen.chance(8) and not self._kind.equal:
            return self._alternatives()
        fluent = self._pen.pick(self._readable)
        out = out or self._list()
        sibling = self._sibling(out)
        if sibling and self._pen.chance(self._kind.siblings):
            self._literals.append(sibling)
        elif self._kind.equal and self._literals:
            # The same pair again stands in for one with other variables.
            first = self._literals[0]
            literal = self._holds_for(fluent, out)
            same = _variables_of(literal) == _variables_of(first)
            self._literals.append(literal if same else first.replace(", I1)", f", {out})"))
        else:
            self._literals.append(self._holds_for(fluent, out))
        return out

    def _sibling(self, out: str) -> str:
        """The pair before with its next value, if it has a constant one: their intervals touch."""
        last = re.fullmatch(r"(holdsFor\(.*)=(\w+), I\d+\)", self._literals[-1]) if self._literals else None
        if last is None or last[2] not in CONSTANTS[MODE]:
            return ""
        values = CONSTANTS[MODE]
        return f"{last[1]}={values[(values.index(last[2]) + 1) % len(values)]}, {out})"

    def _alternatives(self) -> str:
        """`(holdsFor(f, I) ; holdsFor(g, I))`."""
        out = self._list()
        branches = [self._holds_for(self._pen.pick(self._readable), out, plain=True) for _ in range(2)]
        self._literals.append(f"({' ; '.join(branches)})")
        return out

    def _holds_for(self, fluent: Signature, out: str, *, plain: bool = False) -> str:
        assert fluent.value is not None
        args = distinct(fluent.sorts, lambda sort: self._argument(sort, plain=plain))
        if fluent.value in (MODE, NUMBER) and not plain and self._pen.chance(30):
            value = self._argument(fluent.value, plain=False)
        else:
            value = (
                "true" if fluent.value == TRUTH and self._pen.chance(75) else self._pen.likely(CONSTANTS[fluent.value])
            )
        return f"holdsFor({fluent.term(args)}={value}, {out})"

    def _argument(self, sort: str, *, plain: bool) -> str:
        own = [name for name in self._head_args if name in self._variables[sort]]
        how = self._pen.weighted([(14, "own"), (2, "any"), (1, "fresh"), (1, "constant")])
        if own and (how == "own" or plain):
            name = self._pen.pick(own)
            if not plain:
                self._used.add(name)
            return name
        if plain or how == "constant":
            return self._pen.pick(CONSTANTS[sort])
        if self._variables[sort] and how != "fresh":
            name = self._pen.pick(self._variables[sort])
            self._used.add(name)
            return name
        name = self._variable(sort)
        self._used.add(name)
        return name

    def _value(self) -> str:
        """The value of the head: a constant, or one that a leaf binds."""
        sort = self._head.value
        assert sort is not None
        written = {name for literal in self._literals for name in _variables_of(literal)}
        bound = [name for name in self._variables[sort] if name in self._used & written]
        if bound and self._pen.chance(60):
            return self._pen.pick(bound)
        return CONSTANTS[sort][0] if self._pen.chance(80) else self._pen.pick(CONSTANTS[sort])

    # Operators

    def _take(self) -> str:
        """An interval list; one that nothing has used yet, if there is one."""
        if self._unused and self._pen.chance(85):
            return self._unused.pop(self._pen.number(0, len(self._unused) - 1))
        return f"I{self._pen.number(1, self._lists)}"

    def _operation(self) -> str:
        if self._kind.guards and self._pen.chance(12):
            return self._conditional()
        operator = self._pen.pick([word for word in self._kind.operators if word not in LEFT_OUT])
        if operator in (*SETS, "complement_all"):
            return self._set_operation(operator, 2)
        one = self._take()
        if operator.startswith("intDur"):
            goal = f"{operator}({one}, {self._bound()}, {{out}})"
        elif operator in METRIC:
            other = f" {self._take()}," if operator in ("since", "until") else ""
            goal = f"{operator}({one}, {self._distance()},{other} {{out}})"
        elif operator == "seq":
            goal = f"seq({one}, {self._take()}, {{out}})"
        else:
            relation, mode = self._pen.pick(tuple(AllenRelation)), self._pen.pick(tuple(AllenMode))
            goal = f"allen({relation}, {one}, {self._take()}, {mode}, {{out}})"
        out = self._list()
        self._literals.append(goal.format(out=out))
        return self._long_enough(out) if operator == "seq" and self._pen.chance(30) else out

    def _long_enough(self, one: str) -> str:
        """Only long intervals of a list of sequences, those that touch being joined before."""
        joined, out = self._list(), self._list()
        self._literals.append(f"intersect_all([{one}, {one}], {joined})")
        self._literals.append(f"intDurGreater({joined}, {self._pen.number(3, 8)}, {out})")
        return out

    def _bound(self) -> str:
        """A duration: a number, or one that is looked up."""
        if self._pen.chance(25) and self._variables[ITEM]:
            number = self._variable(NUMBER)
            item = self._pen.pick(self._variables[ITEM])
            self._literals.append(f"limit({item},{number})")
            return number
        return str(self._pen.number(0, 6))

    def _distance(self) -> str:
        low = self._pen.weighted([(4, 0), (2, 1), (1, 2), (1, 4)])
        high = "inf" if self._pen.chance(15) else low + self._pen.weighted([(2, 0), (2, 1), (3, 3), (2, 7)])
        return f"[{low},{high}]"

    def _set_operation(self, operator: str, inputs: int) -> str:
        first = self._take() if operator == "relative_complement_all" else ""
        taken = [self._take() for _ in range(self._pen.number(1 if first else 2, inputs))]
        if first:
            taken = [one for one in taken if one != first] or taken
            goal = f"{operator}({first}, [{', '.join(taken)}], {{out}})"
        else:
            goal = f"{operator}([{', '.join(taken)}], {{out}})"
        out = self._list()
        self._literals.append(goal.format(out=out))
        return out

    def _conditional(self) -> str:
        """`(I1 = [] -> I = I2 ; union_all([I1,I2], I))` and the like."""
        one, other = self._take(), self._take()
        test = self._pen.pick((f"{one} \\= []", f"{one} = []"))
        out = self._list()
        branches = [
            self._pen.pick((f"{out} = {one}", f"{out} = {other}", f"union_all([{one},{other}], {out})", f"{out} = []"))
            for _ in range(2)
        ]
        self._literals.append(f"({test} -> {branches[0]} ; {branches[1]})")
        return out

    # Conditions

    def _conditions(self) -> list[str]:
        found = []
        written = {name for literal in self._literals for name in _variables_of(literal)}
        items = [name for name in self._variables[ITEM] if name in self._used & written]
        numbers = [name for name in self._variables[NUMBER] if name in self._used & written]
        if self._kind.guards and self._pen.chance(15):
            shape = self._pen.pick(("{i} \\= []", "\\+ {i} = []", "\\+ {i} = [], !", "{i} = []"))
            found.append(shape.format(i=f"I{self._pen.number(1, self._lists)}"))
        if items and self._pen.chance(20):
            item = self._pen.pick(items)
            found.append(self._pen.pick((f"kind({item},big)", f"\\+ link({item},_)", f"heavy({item})")))
        if len(items) > 1 and self._pen.chance(60):
            operators = ["\\=", "\\=="] + (["@<"] if self._kind.order else [])
            found.append(f"{items[0]} {self._pen.pick(operators)} {items[1]}")
        if numbers and self._pen.chance(60):
            found.append(f"{self._pen.pick(numbers)} > {self._pen.number(0, 2)}")
        return found


def _variables_of(literal: str) -> set[str]:
    return set(re.findall(r"\b[A-Z]\w*", literal)) - set(re.findall(r"\bI\d+", literal))


def knows_the_future(rule: str) -> bool:
    """Whether what a rule says of a time-point may change as more is known.

    So it is with operators on whole intervals, those that look ahead, tests for emptiness, and variables that are not in every fluent of the
    rule: each new value of such a variable adds to the past of the others.
    """
    leaves = [_variables_of(leaf) for leaf in re.findall(r"holdsFor\([^=]*=[^,]*, I\d+\)", rule.partition(":-")[2])]
    words = ("intDur", "seq(", "allen(", "[]", " complement_all(", "_plus(", "until(")
    return any(word in rule for word in words) or any(leaf != leaves[0] for leaf in leaves)


def static_rules(pen: Pen, readable: Readable, head: Signature, kind: StaticKind) -> list[str]:
    """One rule for a statically determined fluent, or alternatives of which the first that succeeds counts."""
    rules = [StaticWriter(pen, readable.fluents, head, kind).rule()]
    if pen.chance(20):
        rules.append(StaticWriter(pen, readable.fluents, head, kind).rule())
    if kind.guards and pen.chance(10):
        rules.append(f"holdsFor({head.term(['_'] * len(head.sorts))}={CONSTANTS[head.value or TRUTH][0]}, []).")
    return rules
