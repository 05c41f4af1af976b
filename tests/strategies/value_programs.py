"""Random event descriptions in which values of one fluent are defined by other values, by events and by intervals.

`f0` and `f1` have three values each. Every value is brought about by events, or by `holdsFor` rules that read values which
come before it, of the same fluent or of another; so no value is made of itself. Further fluents read them: values that
are named and values that are not, in `holdsAt`, `start`, `end`, negations and `findall`.
"""

from __future__ import annotations

from tests.strategies.scenario_words import CONSTANTS, MODE, Pen

_TRIGGERS = ("happensAt(go(X),T)", "happensAt(stop(X),T)", "happensAt(hit(X),T)", "happensAt(turn(X,_),T)")
_SETS = (
    "union_all([I1,I2],I)",
    "intersect_all([I1,I2],I)",
    "relative_complement_all(I1,[I2],I)",
    "complement_all([I1,I2],I)",
    "intDurGreater(I1,{bound},I3), union_all([I2,I3],I)",
)


def value_program(pen: Pen) -> str:
    """The text of a program."""
    writer = _Writer(pen)
    for name in ("f0", "f1"):
        writer.fluent(name)
    for number in range(pen.number(1, 3)):
        writer.reader(f"r{number}")
    return "\n".join(["kind(ann,big).", "kind(bob,small).", *pen.shuffled(writer.rules)])


class _Writer:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self.rules: list[str] = []
        self._values: dict[str, list[str]] = {}
        """The values of each fluent so far."""
        self._by_events_so_far: dict[str, list[str]] = {"f0": [], "f1": []}

    def fluent(self, name: str) -> None:
        """A fluent with three values."""
        pen = self._pen
        defined = self._values.setdefault(name, [])
        by_events = []
        for position, value in enumerate(CONSTANTS[MODE]):
            if position == 0 or not self._known() or pen.chance(35):
                by_events.append(value)
                self._by_events(name, value)
            else:
                for _ in range(pen.weighted([(4, 1), (1, 2)])):
                    self.rules.append(self._by_intervals(name, value))
            defined.append(value)
        if pen.chance(30):
            self.rules.append(f"terminatedAt({name}(X)=_,T) :- {self._trigger()}.")
        if len(by_events) > 1 and pen.chance(30):
            self.rules.append(f"fi({name}(X)={by_events[0]}, {name}(X)={by_events[1]}, {pen.number(1, 5)}).")
        if pen.chance(30):
            self.rules.append(f"initially({name}({pen.pick(('ann', 'bob'))})={by_events[0]}).")

    def _trigger(self) -> str:
        return self._pen.pick(_TRIGGERS)

    def _known(self) -> list[tuple[str, str]]:
        return [(name, value) for name, values in self._values.items() for value in values]

    def _by_events(self, name: str, value: str) -> None:
        condition = ""
        # Of its own fluent, only what events bring about: with the others there would be a cycle through intervals.
        own = self._by_events_so_far[name]
        known = [pair for pair in self._known() if pair[0] != name or pair[1] in own]
        own.append(value)
        if known and self._pen.chance(40):
            other, read = self._pen.pick(known)
            condition = f", {self._pen.pick(('', chr(92) + '+ '))}holdsAt({other}(X)={read},T)"
        self.rules.append(f"initiatedAt({name}(X)={value},T) :- {self._trigger()}{condition}.")
        if self._pen.chance(60):
            self.rules.append(f"terminatedAt({name}(X)={value},T) :- {self._trigger()}.")

    def _by_intervals(self, name: str, value: str) -> str:
        pen, known = self._pen, self._known()
        own = [pair for pair in known if pair[0] == name] or known
        first, second = pen.pick(own), pen.pick(known)
        head = f"holdsFor({name}(X)={value},I) :- "
        leaves = [f"holdsFor({fluent}(X)={read},I{place})" for place, (fluent, read) in enumerate((first, second), 1)]
        how = pen.weighted([(4, "complement"), (6, "operator"), (1, "same")])
        if how == "complement":
            return f"{head}{leaves[0]}, complement_all([I1],I)."
        if how == "same":
            return f"{head}{leaves[0]}, I = I1."
        return f"{head}{', '.join(leaves)}, {pen.pick(_SETS).format(bound=pen.number(1, 6))}."

    def reader(self, name: str) -> None:
        """A fluent or event that reads the others."""
        pen = self._pen
        fluent = pen.pick(("f0", "f1"))
        value = pen.pick(CONSTANTS[MODE])
        bodies = [
            ("X", f"happensAt(tick,T), holdsAt({fluent}(X)={value},T)"),
            ("X", f"happensAt(start({fluent}(X)={value}),T)"),
            ("X", f"happensAt(end({fluent}(X)={value}),T)"),
            ("X,V", f"happensAt(hit(X),T), holdsAt({fluent}(X)=V,T)"),
            ("X,V", f"happensAt(start({fluent}(X)=V),T)"),
            ("X,V", f"happensAt(end({fluent}(X)=V),T), V \\= {value}"),
            ("X", f"happensAt(hit(X),T), \\+ holdsAt({fluent}(X)=_,T)"),
            ("X,N", f"happensAt(turn(X,_),T), findall(V, holdsAt({fluent}(X)=V,T), L), length(L,N)"),
            ("X,V", f"happensAt(turn(X,V),T), holdsAt({fluent}(X)=V,T)"),
        ]
        args, body = pen.pick(bodies)
        if pen.chance(40):
            self.rules.append(f"holdsFor({name}(X)=V,I) :- holdsFor({fluent}(X)=V,I1), intDurGreater(I1,2,I).")
            return
        kind = pen.pick(("initiatedAt({}({})=true,T)", "happensAt({}({}),T)"))
        self.rules.append(f"{kind.format(name, args)} :- {body}.")
        if kind.startswith("initiatedAt"):
            self.rules.append(
                f"terminatedAt({name}({args.replace('V', '_').replace('N', '_')})=true,T) :- happensAt(stop(X),T)."
            )
