"""The words of random event descriptions: sorts, signatures, constants, and a pen that draws and writes.

Every argument has a sort, so that a random rule compares numbers with numbers and joins things with things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

ITEM, NUMBER, MODE, TRUTH = "item", "number", "mode", "truth"

CONSTANTS: dict[str, tuple[str, ...]] = {
    ITEM: ("ann", "bob", "cy"),
    NUMBER: ("0", "1", "2", "3"),
    MODE: ("red", "green", "blue"),
    TRUTH: ("true", "false"),
}
LETTER = {ITEM: "X", NUMBER: "N", MODE: "M", TRUTH: "B"}
KINDS = ("big", "small")

LEFT_OUT: frozenset[str] = frozenset()
"""Switches: constructs that are not generated because of an open bug. Empty when all is well."""

_T = TypeVar("_T")
Chooser = Callable[[int, int], int]
"""Chooses a whole number, both ends included."""


@dataclass(frozen=True)
class Signature:
    """An event or fluent: its name, the sorts of its arguments, and of its value if it is a fluent."""

    name: str
    sorts: tuple[str, ...]
    value: str | None = None
    inside: str = ""
    """The name of a term around the arguments, as `act` in `per(act(X))`."""

    def term(self, args: Sequence[str]) -> str:
        """The text of the event or fluent with some arguments."""
        listed = ",".join(args)
        if self.inside:
            return f"{self.name}({self.inside}({listed}))" if listed else f"{self.name}({self.inside})"
        return f"{self.name}({listed})" if listed else self.name


INPUT_EVENTS = (
    Signature("go", (ITEM,)),
    Signature("stop", (ITEM,)),
    Signature("hit", (ITEM,)),
    Signature("tick", ()),
    Signature("set", (ITEM, NUMBER)),
    Signature("turn", (ITEM, MODE)),
    Signature("meet", (ITEM, ITEM)),
)
INPUT_FLUENTS = (
    Signature("inside", (ITEM,), TRUTH),
    Signature("near", (ITEM, ITEM), TRUTH),
    Signature("zone", (ITEM,), MODE),
    Signature("speed", (ITEM,), NUMBER),
)
"""`speed` is reported point by point, the others as intervals."""
POINT_FLUENTS = frozenset({"speed"})
SIGNATURES = {signature.name: signature for signature in (*INPUT_EVENTS, *INPUT_FLUENTS)}

BACKGROUND_SORTS = {
    "kind": (ITEM, "kind"),
    "link": (ITEM, ITEM),
    "limit": (ITEM, NUMBER),
    "joined": (ITEM, ITEM),
    "heavy": (ITEM,),
    "double": (ITEM, NUMBER),
    "alone": (ITEM,),
}


class Pen:
    """Draws choices. The first of several is the simplest, and what a counterexample shrinks to."""

    def __init__(self, choose: Chooser) -> None:
        self._choose = choose

    @classmethod
    def of(cls, draw: Callable[[st.SearchStrategy[int]], int]) -> Pen:
        """A pen that draws from Hypothesis."""
        return cls(lambda low, high: draw(st.integers(low, high)))

    def number(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low if low == high else self._choose(low, high)

    def chance(self, percent: int) -> bool:
        """True in about so many of a hundred cases; shrinks to False."""
        return self.number(0, 99) >= 100 - percent

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of some choices."""
        return choices[self.number(0, len(choices) - 1)]

    def weighted(self, choices: Sequence[tuple[int, _T]]) -> _T:
        """One of some choices, the heavier the likelier."""
        at = self.number(0, sum(weight for weight, _ in choices) - 1)
        for weight, choice in choices:
            if at < weight:
                return choice
            at -= weight
        raise AssertionError

    def likely(self, choices: Sequence[_T]) -> _T:
        """One of some choices, the earlier the likelier."""
        return self.weighted([(len(choices) + 1 - place, choice) for place, choice in enumerate(choices)])

    def some(self, choices: Sequence[_T], most: int) -> list[_T]:
        """Up to so many of some choices, in their order."""
        wanted = self.number(0, min(most, len(choices)))
        found = list(choices)
        while len(found) > wanted:
            del found[self.number(0, len(found) - 1)]
        return found

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        """The same items in any order."""
        rest, found = list(items), []
        while rest:
            found.append(rest.pop(self.number(0, len(rest) - 1)))
        return found


@dataclass
class Readable:
    """What a rule may ask about. `changing` can be asked for starts, ends and effects as well."""

    events: list[Signature] = field(default_factory=list)
    fluents: list[Signature] = field(default_factory=list)
    changing: list[Signature] = field(default_factory=list)
    simple: list[Signature] = field(default_factory=list)

    def copy(self) -> Readable:
        """One that can be added to without changing this one."""
        return Readable(list(self.events), list(self.fluents), list(self.changing), list(self.simple))
