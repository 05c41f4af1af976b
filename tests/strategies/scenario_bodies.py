"""Random conditions of rules about time-points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.strategies.scenario_words import (
    BACKGROUND_SORTS,
    CONSTANTS,
    ITEM,
    KINDS,
    LEFT_OUT,
    LETTER,
    MODE,
    NUMBER,
    TRUTH,
    Pen,
    Readable,
    Signature,
)

COMPARISONS = ("<", "=<", ">", ">=", "=:=", "=\\=")


@dataclass(frozen=True)
class Allowed:
    """Constructs that a test may want to leave out."""

    order: bool = True
    """Comparisons by the standard order of terms, which renaming changes."""
    look_back: bool = True
    effects: bool = True
    """`initiatedAt` and `terminatedAt` as conditions."""
    collect: bool = True
    """`findall`."""
    fractions: bool = True


def distinct(sorts: tuple[str, ...], choose: Callable[[str], str]) -> list[str]:
    """An argument for each sort; a second choice for one that repeats an earlier one."""
    args: list[str] = []
    for sort in sorts:
        arg = choose(sort)
        args.append(choose(sort) if arg in args and arg != "_" else arg)
    return args


class BodyWriter:
    """Writes the conditions of one rule, and knows which variables they bind."""

    def __init__(self, pen: Pen, readable: Readable, allowed: Allowed, time: str = "T") -> None:
        self._pen = pen
        self._readable = readable
        self._allowed = allowed
        self.time = time
        self.literals: list[str] = []
        self.bound: dict[str, list[str]] = {sort: [] for sort in LETTER}
        self._count = 0

    # Variables

    def fresh(self, sort: str) -> str:
        """A new variable that is bound from now on."""
        name = self._name(LETTER[sort])
        self.bound[sort].append(name)
        return name

    def _name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def constant(self, sort: str) -> str:
        """A constant of a sort."""
        return self._pen.likely(CONSTANTS.get(sort, KINDS))

    def _binding_arg(self, sort: str) -> str:
        """An argument of a condition that may bind."""
        if sort not in self.bound:
            return self._pen.weighted([(3, "_"), (2, self._pen.pick(KINDS))])
        how = self._pen.weighted([(8, "known"), (6, "fresh"), (2, "constant"), (1, "_")])
        if how == "known" and self.bound[sort]:
            return self._pen.pick(self.bound[sort])
        if how == "constant":
            return self.constant(sort)
        return "_" if how == "_" else self.fresh(sort)

    def _testing_arg(self, sort: str) -> str:
        """An argument of a condition that binds nothing."""
        if sort not in self.bound:
            return self._binding_arg(sort)
        how = self._pen.weighted([(6, "known"), (3, "constant"), (2, "_")])
        if how == "known" and self.bound[sort]:
            return self._pen.pick(self.bound[sort])
        return "_" if how == "_" else self.constant(sort)

    def known(self, sort: str) -> str:
        """A bound variable of a sort; a condition that binds one is added if there is none. Or a constant."""
        if self.bound[sort]:
            return self._pen.pick(self.bound[sort])
        if sort == ITEM and self._pen.chance(70):
            name = self.fresh(ITEM)
            self.literals.append(f"kind({name},_)")
            return name
        if sort == NUMBER and self._pen.chance(50):
            name = self.fresh(NUMBER)
            self.literals.append(f"limit({self._testing_arg(ITEM)},{name})")
            return name
        return self.constant(sort)

    def _args(self, sorts: tuple[str, ...], *, binding: bool) -> list[str]:
        choose = self._binding_arg if binding else self._testing_arg
        return distinct(sorts, choose)

    def head_args(self, sorts: tuple[str, ...]) -> list[str]:
        """Arguments for a head that must be bound."""
        args = distinct(sorts, self.known)
        if len(args) == 2 and args[0] == args[1] and sorts[1] == ITEM and self._pen.chance(80):
            args[1] = self.fresh(ITEM)
            self.literals.append(self._pen.pick((f"link({args[0]},{args[1]})", f"kind({args[1]},_)")))
        return args

    # Single conditions

    def happens(self, *, binding: bool = True, time: str = "") -> str:
        """`happensAt` of an event."""
        event = self._pen.pick(self._readable.events)
        return f"happensAt({event.term(self._args(event.sorts, binding=binding))},{time or self.time})"

    def pair(self, fluent: Signature, *, binding: bool) -> str:
        """A fluent with a value, `F=V`."""
        assert fluent.value is not None
        args = self._args(fluent.sorts, binding=binding)
        how = self._pen.weighted([(5, "constant"), (4, "any")])
        if how == "constant":
            value = "true" if fluent.value == TRUTH and self._pen.chance(70) else self.constant(fluent.value)
        else:
            value = self._binding_arg(fluent.value) if binding else self._testing_arg(fluent.value)
        return f"{fluent.term(args)}={value}"

    def holds(self, *, binding: bool = True, time: str = "") -> str:
        """`holdsAt`."""
        if not self._readable.fluents:
            return self.background(binding=binding)
        fluent = self._pen.pick(self._readable.fluents)
        return f"holdsAt({self.pair(fluent, binding=binding)},{time or self.time})"

    def boundary(self, *, binding: bool = True, time: str = "") -> str:
        """`happensAt` of a start or an end."""
        if not self._readable.changing:
            return self.happens(binding=binding, time=time)
        fluent = self._pen.pick(self._readable.changing)
        edge = self._pen.pick(("start", "end"))
        return f"happensAt({edge}({self.pair(fluent, binding=binding)}),{time or self.time})"

    def effect(self, *, binding: bool = True, time: str = "") -> str:
        """`initiatedAt` or `terminatedAt` as a condition."""
        found = [fluent for fluent in self._readable.changing if fluent in self._readable.simple]
        if not found or not self._allowed.effects:
            return self.boundary(binding=binding, time=time)
        kind = self._pen.pick(
            ("initiatedAt",) if "terminated conditions" in LEFT_OUT else ("initiatedAt", "terminatedAt")
        )
        # What a termination leaves open binds nothing.
        pair = self.pair(self._pen.pick(found), binding=binding and kind == "initiatedAt")
        return f"{kind}({pair},{time or self.time})"

    def background(self, *, binding: bool = True) -> str:
        """A background predicate."""
        how = self._pen.weighted([(6, "facts"), (1, "near"), (1, "next")])
        if how == "near" and self.bound[NUMBER]:
            return f"similar({self.known(NUMBER)},{self._testing_arg_no_blank(NUMBER)})"
        if how == "next" and self.bound[NUMBER]:
            number = self.known(NUMBER)
            return f"after({number},{self.fresh(NUMBER) if binding else self.known(NUMBER)})"
        name = self._pen.pick(tuple(BACKGROUND_SORTS))
        return f"{name}({','.join(self._args(BACKGROUND_SORTS[name], binding=binding))})"

    def _testing_arg_no_blank(self, sort: str, but: str = "") -> str:
        return self._pen.pick([*(name for name in self.bound[sort] if name != but), self.constant(sort)])

    def expression(self) -> str:
        """An arithmetic expression over bound numbers."""
        number = self._testing_arg_no_blank(NUMBER)
        shapes = ["{n}+1", "({n}+{k}) mod 4", "abs({n}-{k})", "min({n},{k})", "max({n},{k})", "{n}*2-{k}", "{n}//2"]
        if self._allowed.fractions:
            shapes += ["{n}/2", "floor({n}*0.5)", "round({n}/2)"]
            shapes += [] if "whole floats" in LEFT_OUT else ["sqrt({n})"]
        return self._pen.pick(shapes).format(n=number, k=self._testing_arg_no_blank(NUMBER))

    def comparison(self) -> str:
        """A comparison of bound variables, or of the time."""
        sorts = [sort for sort in (NUMBER, ITEM, MODE) if self.bound[sort]]
        if not sorts:
            return f"{self.time} {self._pen.pick(COMPARISONS)} {self._pen.number(0, 12)}"
        sort = self._pen.pick(sorts)
        left = self._pen.pick(self.bound[sort])
        if sort == NUMBER:
            right = self.expression() if self._pen.chance(40) else self._testing_arg_no_blank(NUMBER, left)
            return f"{left} {self._pen.pick(COMPARISONS)} {right}"
        operators = ["\\=", "=", "==", "\\=="]
        if self._allowed.order:
            operators += ["@<", "@>", "@=<", "@>="]
        return f"{left} {self._pen.pick(operators)} {self._testing_arg_no_blank(sort, left)}"

    def assignment(self) -> str:
        """`N is Expression`, or `M = Constant`."""
        if self.bound[NUMBER] and self._pen.chance(70):
            expression = self.expression()
            return f"{self.fresh(NUMBER)} is {expression}"
        sort = self._pen.pick((MODE, ITEM, NUMBER))
        value = self._testing_arg_no_blank(sort)
        return f"{self.fresh(sort)} = {value}"

    # Nested conditions

    def test(self) -> str:
        """A condition that binds nothing."""
        write = self._pen.weighted(
            [
                (4, lambda: self.holds(binding=False)),
                (3, lambda: self.happens(binding=False)),
                (3, self.comparison),
                (2, lambda: self.background(binding=False)),
                (1, lambda: self.boundary(binding=False)),
                (1, lambda: self.effect(binding=False)),
            ]
        )
        return write()

    def negation(self) -> str:
        """`\\+` of one condition or of several that share a variable of their own."""
        if self._pen.chance(70):
            return f"\\+ {self.test()}"
        inner = self._aside()
        goals = [self._pen.pick((inner.happens, inner.holds, inner.background))() for _ in range(2)]
        goals += [inner.comparison()] if self._pen.chance(40) else []
        return f"\\+ ({', '.join(goals)})"

    def _aside(self) -> BodyWriter:
        """A writer for an inner body: what it binds stays inside."""
        inner = BodyWriter(self._pen, self._readable, self._allowed, self.time)
        inner.bound = {sort: list(names) for sort, names in self.bound.items()}
        inner._count = self._count = self._count + 20
        return inner

    def disjunction(self) -> str:
        """Alternatives that test, or that bind one variable each."""
        if self._pen.chance(60):
            return f"({self.test()} ; {self.test()})"
        sort = self._pen.pick((ITEM, NUMBER, MODE))
        name = self._name(LETTER[sort])
        branches = [self._binder(sort, name) for _ in range(2)]
        self.bound[sort].append(name)
        return f"({' ; '.join(branches)})"

    def _binder(self, sort: str, name: str) -> str:
        """A condition that binds a variable."""
        if sort == ITEM:
            shapes = ["kind({v},_)", "link({k},{v})", "joined({v},{k})", "{v} = {k}", "happensAt(meet({v},_),{t})"]
        elif sort == NUMBER:
            shapes = ["limit({i},{v})", "{v} = {k}", "happensAt(set({i},{v}),{t})", "{v} is {k}+1"]
        else:
            shapes = ["{v} = {k}", "happensAt(turn({i},{v}),{t})"]
        return self._pen.pick(shapes).format(
            v=name, k=self._testing_arg_no_blank(sort), i=self._testing_arg(ITEM), t=self.time
        )

    def conditional(self) -> str:
        """`(C -> A ; B)` of tests, or choosing a value."""
        condition = self.test()
        if self._pen.chance(50):
            return f"({condition} -> {self.test()} ; {self.test()})"
        sort = self._pen.pick((MODE, NUMBER, ITEM))
        one, other = self._testing_arg_no_blank(sort), self._testing_arg_no_blank(sort)
        name = self._name(LETTER[sort])
        self.bound[sort].append(name)
        return f"({condition} -> {name} = {one} ; {name} = {other})"

    def collection(self) -> str:
        """`findall`, and something done with the list."""
        if not self._allowed.collect:
            return self.comparison()
        inner = self._aside()
        sort = self._pen.pick((NUMBER, ITEM))
        wanted = inner._name(LETTER[sort])
        goal = inner._collected(sort, wanted)
        if self._pen.chance(30):
            inner.bound[sort].append(wanted)
            goal = f"({goal}, {inner.test()})"
        listed, result = self._name("L"), self._name("C")
        collect = f"findall({wanted},{goal},{listed})"
        uses = ["length({l},{c})", "sort({l},{l}s), length({l}s,{c})"]
        if sort == NUMBER:
            uses += ["sum_list({l},{c})", "max_list({l},{c})", "min_list({l},{c})"]
        use = self._pen.pick([*uses, "member({c},{l})"])
        text = use.format(l=listed, c=result)
        if use.startswith("member") and sort == ITEM:
            self.bound[ITEM].append(result)
            return f"{collect}, {text}"
        self.bound[NUMBER].append(result)
        if self._pen.chance(60):
            text += f", {result} {self._pen.pick(COMPARISONS)} {self._pen.number(0, 3)}"
        return f"{collect}, {text}"

    def _collected(self, sort: str, wanted: str) -> str:
        fluents = [f for f in self._readable.fluents if sort in (*f.sorts, f.value)]
        events = [e for e in self._readable.events if sort in e.sorts]
        how = self._pen.pick(("event", "fluent", "facts"))
        if how == "event" and events:
            event = self._pen.pick(events)
            return f"happensAt({event.term(self._around(event.sorts, sort, wanted))},{self.time})"
        if how == "fluent" and fluents:
            fluent = self._pen.pick(fluents)
            assert fluent.value is not None
            *args, value = self._around((*fluent.sorts, fluent.value), sort, wanted)
            return f"holdsAt({fluent.term(args)}={value},{self.time})"
        name = "limit" if sort == NUMBER else self._pen.pick(("link", "joined", "kind"))
        return f"{name}({','.join(self._around(BACKGROUND_SORTS[name], sort, wanted))})"

    def _around(self, sorts: tuple[str, ...], sort: str, wanted: str) -> list[str]:
        """Arguments with a variable at one place of its sort."""
        places = [place for place, found in enumerate(sorts) if found == sort]
        chosen = self._pen.pick(places)
        others = ["_" if self._pen.chance(40) else self._testing_arg(found) for found in sorts]
        return [wanted if place == chosen else other for place, other in enumerate(others)]

    def look_back(self) -> str:
        """A condition on an earlier time-point."""
        if not self._allowed.look_back or "look back" in LEFT_OUT:
            return self.negation()
        before = self._name("T")
        reach = self._pen.number(1, 6)
        limits = [
            f"{before} < {self.time}, {self.time}-{before} =< {reach}",
            f"{before} =< {self.time}, {before} >= {self.time}-{reach}",
            f"{before} < {self.time}",
        ]
        limit = self._pen.pick(limits)
        how = self._pen.weighted([(5, "positive"), (3, "negated"), (2, "state"), (2, "between"), (1, "shifted")])
        if how == "shifted":
            return f"{before} is {self.time}-{reach}, {self._maybe_not(self.holds(binding=False, time=before))}"
        if how == "negated":
            inner = self._aside()
            return f"\\+ ({inner._any_event(before)}, {limit})"
        event = self._any_event(before)
        if how == "state":
            return f"{event}, {limit}, {self._maybe_not(self.holds(binding=False, time=before))}"
        if how == "between":
            inner, middle = self._aside(), self._name("T")
            missing = f"\\+ ({inner._any_event(middle)}, {before} < {middle}, {middle} < {self.time})"
            return f"{event}, {limit}, {missing}"
        return f"{event}, {limit}"

    def _any_event(self, time: str) -> str:
        write: Callable[..., str] = self._pen.weighted([(6, self.happens), (2, self.boundary), (1, self.effect)])
        return write(time=time)

    def _maybe_not(self, goal: str) -> str:
        return f"\\+ {goal}" if self._pen.chance(40) else goal

    # Whole bodies

    def driver(self) -> None:
        """The condition that makes a rule fire."""
        write = self._pen.weighted([(8, self.happens), (2, self.boundary), (1, self.effect)])
        self.literals.append(write())

    def condition(self) -> None:
        """One more condition."""
        write = self._pen.weighted(
            [
                (6, self.holds),
                (4, self.negation),
                (3, self.background),
                (3, self.comparison),
                (2, self.happens),
                (2, self.assignment),
                (2, self.disjunction),
                (2, self.conditional),
                (2, self.collection),
                (2, self.look_back),
                (1, self.boundary),
                (1, self.effect),
            ]
        )
        self.literals.append(write())

    def write(self, most: int = 3) -> None:
        """A driver and some conditions."""
        self.driver()
        for _ in range(self._pen.weighted([(4, 0), (5, 1), (3, 2), (1, most)])):
            self.condition()

    def text(self) -> str:
        """The body, its conditions in any order."""
        return ", ".join(self._pen.shuffled(self.literals) if self._pen.chance(30) else self.literals)
