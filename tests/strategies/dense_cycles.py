"""Random event descriptions in which nearly everything stands inside a cycle.

Two or three fluents and a derived event read each other: what they hold, their starts and ends, what they initiate and
terminate, how they were before, how often something happened. What happens right now they read in one order only, so that
every program has a meaning. Statically determined fluents of the cycle have several
rules and variables that not all their parts share. Some fluents take ever new values, some are ended for all instances at
once.
"""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

_DRIVERS = ("go(X)", "stop(X)", "hit(X)", "set(X,_)", "turn(X,_)", "meet(X,_)")
_PAIRS = ("a(X)=true", "a(X)=_", "b(X)=red", "b(X)=_", "n(X)=2", "n(X)=_", "s(X)=true", "u(X)=true", "p(X,_)=true")
_COMPARISONS = ("<", "=<", ">", ">=", "=:=")


def dense_program(pen: Pen) -> str:
    """The text of a program."""
    return _Writer(pen).program()


_ORDER = {"a": "a(X)=true", "b": "b(X)=red", "n": "n(X)=_", "p": "p(X,_)=true", "s": "s(X)=true", "d": ""}
"""What each may read the starts and ends of: those before it."""


class _Writer:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._local = 0
        self._head = "a"

    def program(self) -> str:
        pen = self._pen
        rules = ["kind(ann,big).", "kind(bob,small).", "link(ann,bob).", "link(bob,cy)."]
        for head, most in (("a(X)=true", 3), ("b(X)={mode}", 3), ("n(X)=1", 2)):
            for _ in range(pen.number(1, most)):
                self._head = head[0]
                shown = head.format(mode=pen.pick(("red", "green", "blue")))
                rules.append(f"initiatedAt({shown},T) :- {self._body()}.")
        rules.append(f"initiatedAt(n(X)=M,T) :- {self._driver()}, holdsAt(n(X)=N,T), M is {self._grown()}.")
        self._head = "p"
        rules.append(f"initiatedAt(p(X,Y)=true,T) :- happensAt(meet(X,Y),T), {self._condition()}.")
        rules += [self._termination() for _ in range(pen.number(2, 5))]
        self._head = "d"
        rules.append(f"happensAt(d(X),T) :- {self._body()}.")
        rules += self._static("s")
        if pen.chance(60):
            rules += self._static("u")
        else:
            rules.append("holdsFor(u(X)=true,I) :- holdsFor(a(X)=true,I).")
        if pen.chance(25):
            rules.append(f"fi(a(X)=true,a(X)=false,{pen.number(1, 4)}).")
        if pen.chance(15):
            rules.append("p(a(_)=true).")
        if pen.chance(25):
            rules.append("initially(b(ann)=red).")
        return "\n".join(pen.shuffled(rules)) + "\n"

    def _grown(self) -> str:
        return self._pen.pick(("N + 1", "N * 2", "N + T", "N / 2", "max(N, 7) - 3"))

    def _body(self) -> str:
        count = self._pen.weighted([(5, 1), (4, 2), (1, 3)])
        return ", ".join([self._driver(), *(self._condition() for _ in range(count))])

    def _driver(self) -> str:
        pen = self._pen
        if self._present() and pen.chance(20):
            return f"happensAt({pen.pick(('start', 'end'))}({pen.pick(self._present())}),T)"
        return f"happensAt({pen.pick(_DRIVERS)},T)"

    def _present(self) -> list[str]:
        names = list(_ORDER)
        return [_ORDER[name] for name in names[: names.index(self._head)]]

    def _fresh(self, letter: str) -> str:
        self._local += 1
        return f"{letter}{self._local}"

    def _condition(self) -> str:
        pen = self._pen
        write = pen.weighted(
            [
                (6, self._state),
                (3, self._collected),
                (3, self._before),
                (2, self._edge),
                (2, self._ended),
                (2, self._counted),
                (1, self._grows),
            ]
        )
        return write()

    def _not(self) -> str:
        return self._pen.pick(("", "\\+ "))

    def _state(self) -> str:
        return f"{self._not()}holdsAt({self._pen.pick(_PAIRS)},T)"

    def _collected(self) -> str:
        """`findall` over a fluent of the cycle, of all instances or of other time-points."""
        pen, item, listed, size = self._pen, self._fresh("Y"), self._fresh("L"), self._fresh("C")
        goal = pen.pick(
            (
                f"holdsAt(a({item})=true,T)",
                f"holdsAt(n(X)={item},T)",
                f"holdsAt(p(X,{item})=true,T)",
                f"(holdsAt(s({item})=true,T), kind({item},big))",
                f"(happensAt(d({item}),{size}t), {size}t < T)",
            )
        )
        return f"findall({item},{goal},{listed}), length({listed},{size}), {size} {pen.pick(_COMPARISONS)} {pen.number(0, 2)}"

    def _before(self) -> str:
        """How it was at another time-point."""
        pen, then = self._pen, self._fresh("T")
        limit = pen.pick((f"{then} < T", f"{then} < T, T - {then} =< {pen.number(1, 6)}"))
        what = pen.pick(
            (
                f"happensAt({pen.pick(('go(X)', 'd(X)', 'hit(_)'))},{then})",
                f"happensAt({pen.pick(('start', 'end'))}({pen.pick(('a(X)=true', 's(X)=true', 'n(X)=_'))}),{then})",
                f"initiatedAt(b(X)=red,{then})",
            )
        )
        state = f", {self._not()}holdsAt({pen.pick(_PAIRS)},{then})" if pen.chance(50) else ""
        if pen.chance(30):
            return f"\\+ ({what}, {limit}{state})"
        if pen.chance(20):
            return f"{then} is T - {pen.number(1, 5)}, {self._not()}holdsAt({pen.pick(_PAIRS)},{then})"
        return f"{what}, {limit}{state}"

    def _edge(self) -> str:
        if not self._present():
            return self._state()
        return f"{self._not()}happensAt({self._pen.pick(('start', 'end'))}({self._pen.pick(self._present())}),T)"

    def _ended(self) -> str:
        """`terminatedAt` on a fluent that may be ended for all its instances."""
        pen, then = self._pen, self._fresh("T")
        pair = pen.pick(("b(X)=red", "b(X)=_", "p(X,_)=true", "n(X)=_"))
        return f"{self._not()}(terminatedAt({pair},{then}), {then} < T)"

    def _counted(self) -> str:
        """An aggregate of an event that depends on the rule itself."""
        pen = self._pen
        event = pen.pick(("d(X)", "go(X)", "start(a(X)=true)", "end(n(X)=_)"))
        then = self._fresh("T")
        if pen.chance(50):
            return f"{then} is T - 1, count_within({event},{pen.number(2, 8)},{then}) {pen.pick(_COMPARISONS)} 1"
        return f"count_within(go(X),{pen.number(1, 8)},T) {pen.pick(_COMPARISONS)} {pen.number(0, 2)}"

    def _grows(self) -> str:
        number = self._fresh("N")
        return f"holdsAt(n(X)={number},T), {number} {self._pen.pick(_COMPARISONS)} {self._pen.number(1, 5)}"

    def _termination(self) -> str:
        pen = self._pen
        head = pen.pick(("a(X)=true", "b(X)=_", "b(_)=red", "n(X)=_", "n(_)=2", "p(X,_)=true", "p(_,X)=_", "a(_)=_"))
        self._head = head[0]
        return f"terminatedAt({head},T) :- {self._body()}."

    def _static(self, name: str) -> list[str]:
        """Rules of a statically determined fluent: alternatives, and variables that its parts do not share."""
        pen = self._pen
        bodies = (
            "holdsFor(a(X)=true,I1), holdsFor(b(X)=red,I2), union_all([I1,I2],I)",
            "holdsFor(a(X)=true,I1), holdsFor(b(Y)=red,I2), union_all([I1,I2],I)",
            "holdsFor(p(X,Y)=true,I1), holdsFor(a(Y)=true,I2), intersect_all([I1,I2],I)",
            "holdsFor(a(X)=true,I1), holdsFor(n(X)=2,I2), relative_complement_all(I1,[I2],I)",
            "holdsFor(b(X)=red,I1), holdsFor(b(X)=green,I2), kind(X,big), union_all([I1,I2],I)",
            "holdsFor(p(X,_)=true,I)",
        )
        rules = [f"holdsFor({name}(X)=true,I) :- {pen.pick(bodies)}."]
        if pen.chance(40):
            rules.append(f"holdsFor({name}(X)=true,I) :- {pen.pick(bodies)}.")
        return rules
