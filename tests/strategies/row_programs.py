"""Random event descriptions of many plain rules about few things, which name these by variables and by constants.

Such rules run row by row: they look at the event, at facts and at what holds, and bring about a value. What one rule says of
`f(X)` another says of `f(ann)`, of `f(_)`, of any value or of the one that the event has; some have more rules for one
event than fit into a word of bits. `g` is about pairs of which only one is the key, or both.
"""

from __future__ import annotations

from tests.strategies.scenario_words import CONSTANTS, ITEM, MODE, NUMBER, Pen

_FACTS = (
    "kind(ann,big).",
    "kind(bob,small).",
    "kind(bob,big).",
    "limit(ann,2).",
    "limit(bob,0).",
    "limit(cy,1).",
    "limit(cy,3).",
)
_EVENTS = {
    "go": (ITEM,),
    "stop": (ITEM,),
    "hit": (ITEM,),
    "set": (ITEM, NUMBER),
    "turn": (ITEM, MODE),
    "meet": (ITEM, ITEM),
}


def row_program(pen: Pen) -> str:
    """The text of a program."""
    names = [f"f{number}" for number in range(pen.number(1, 3))] + ["g"] * pen.number(0, 1)
    count = pen.weighted([(6, pen.number(4, 12)), (1, pen.number(30, 70))])
    rules = [_Rule(pen, names).text() for _ in range(count)]
    # Each fluent begins in some way.
    rules += [f"initiatedAt({name}({'X,X' if name == 'g' else 'X'})=red, T) :- happensAt(go(X), T)." for name in names]
    if pen.chance(25):
        rules.append(f"fi({names[0]}(X)=red, {names[0]}(X)=blue, {pen.number(1, 6)}).")
        rules += [f"p({names[0]}(_)=red)."] * pen.number(0, 1)
    if pen.chance(20):
        rules.append(f"initially({names[0]}({pen.pick(CONSTANTS[ITEM])})={pen.pick(CONSTANTS[MODE])}).")
    if pen.chance(20):
        rules.append(f"grounding({names[0]}(X)=V) :- kind(X,_), member(V,[red,green]).")
    return "\n".join([*_FACTS, *pen.shuffled(rules)])


class _Rule:
    def __init__(self, pen: Pen, names: list[str]) -> None:
        self._pen, self._names = pen, names
        self._known: dict[str, list[str]] = {ITEM: [], NUMBER: [], MODE: []}
        self._body: list[str] = []

    def text(self) -> str:
        """The rule."""
        pen = self._pen
        self._event(pen.pick(list(_EVENTS)))
        if pen.chance(15):
            self._event(pen.pick(list(_EVENTS)))
        for _ in range(pen.weighted([(5, 0), (4, 1), (2, 2)])):
            pen.weighted([(4, self._holding), (3, self._fact), (3, self._comparison)])()
        first, *conditions = self._body
        name = pen.pick(self._names)
        kind, value = pen.pick((("initiatedAt", self._value()), ("terminatedAt", self._value()), ("terminatedAt", "_")))
        args = ",".join(self._item(open_too=kind == "terminatedAt") for _ in range(1 + (name == "g")))
        return f"{kind}({name}({args})={value}, T) :- {', '.join([first, *pen.shuffled(conditions)])}."

    def _event(self, name: str) -> None:
        args = [self._argument(sort) for sort in _EVENTS[name]]
        self._body.append(f"happensAt({name}({','.join(args)}), T)")

    def _argument(self, sort: str) -> str:
        pen, known = self._pen, self._known[sort]
        how = pen.weighted([(8, "new"), (2, "constant"), (1, "any"), (1, "known")])
        if how == "constant":
            return pen.pick(CONSTANTS[sort])
        if how == "any":
            return "_"
        if how == "known" and known:
            return pen.pick(known)
        known.append(f"{sort[0].upper()}{len(known)}")
        return known[-1]

    def _item(self, *, open_too: bool = False) -> str:
        if self._known[ITEM] and self._pen.chance(75):
            return self._pen.pick(self._known[ITEM])
        return "_" if open_too and self._pen.chance(30) else self._pen.pick(CONSTANTS[ITEM])

    def _value(self) -> str:
        if self._known[MODE] and self._pen.chance(40):
            return self._pen.pick(self._known[MODE])
        return self._pen.pick(CONSTANTS[MODE])

    def _holding(self) -> None:
        pen, name = self._pen, self._pen.pick(self._names)
        value = "_" if pen.chance(25) else self._value()
        args = ",".join(self._item() for _ in range(1 + (name == "g")))
        self._body.append(f"{pen.pick(('', chr(92) + '+ '))}holdsAt({name}({args})={value}, T)")

    def _fact(self) -> None:
        pen, item = self._pen, self._item()
        if pen.chance(50):
            self._body.append(f"{pen.pick(('', chr(92) + '+ '))}kind({item},{pen.pick(('big', 'small', '_'))})")
        elif not item[0].isupper() or pen.chance(50):
            self._known[NUMBER].append(f"L{len(self._body)}")
            self._body.append(f"limit({item},{self._known[NUMBER][-1]})")
        else:
            self._body.append(f"limit({item},{pen.pick(CONSTANTS[NUMBER])})")

    def _comparison(self) -> None:
        pen = self._pen
        sort = pen.pick([sort for sort in (ITEM, NUMBER, MODE) if self._known[sort]] or [""])
        if not sort:
            return
        left = pen.pick(self._known[sort])
        right = pen.pick([*self._known[sort], *CONSTANTS[sort]])
        self._body.append(
            f"{left} {pen.pick(('<', '>=', '=:=') if sort == NUMBER else ('=', chr(92) + '=', '@<'))} {right}"
        )
