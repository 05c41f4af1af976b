"""Random event descriptions with sliding aggregates: all of them, of input events, derived events, starts and ends; in
comparisons and assignments, inside negations, disjunctions, conditionals and helpers, in cycles and beside delays.
"""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

_TRIGGERS = ("go(X)", "stop(X)", "hit(X)", "set(X,_)", "turn(X,_)", "meet(X,_)", "meet(_,X)")
_NUMBERED = ("sum_within", "avg_within", "min_within", "max_within")
_COMPARISONS = ("<", "=<", ">", ">=", "=:=", "=\\=")


def sliding_program(pen: Pen) -> str:
    """The text of a program."""
    return _Writer(pen).program()


class _Writer:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._rules: list[str] = ["span(6).", "span(ann,3).", "span(bob,8).", "span(cy,1)."]
        self._events = ["go(X)", "stop(X)", "hit(X)", "meet(X,_)", "meet(X,X)", "meet(X,Y{n})", "turn(X,_)", "tick"]
        """Patterns that may be counted; the number makes a local variable that no other condition has."""
        self._local = 0
        self._has_unit = pen.chance(25)
        if self._has_unit:
            self._rules.append(":- time_unit(min).")

    def program(self) -> str:
        pen = self._pen
        if pen.chance(60):
            self._rules.append(f"initiatedAt(f(X)=true,T) :- happensAt({pen.pick(_TRIGGERS)},T).")
            self._rules.append(f"terminatedAt(f(X)=true,T) :- happensAt({pen.pick(_TRIGGERS)},T).")
            self._events += ["start(f(X)=true)", "end(f(X)=true)"]
        helper = pen.chance(30)
        if helper:
            self._rules.append(f"busy(X,T) :- {self._test()}.")
        for number in range(pen.number(1, 4)):
            self._rule(number, helper=helper)
        return "\n".join(pen.shuffled(self._rules))

    def _rule(self, number: int, *, helper: bool) -> None:
        """A fluent or a derived event; later rules may count the event."""
        pen = self._pen
        trigger = pen.pick((*_TRIGGERS, "tick") if pen.chance(15) else _TRIGGERS)
        conditions = [self._condition() for _ in range(pen.weighted([(5, 1), (2, 2)]))]
        if helper and pen.chance(40):
            conditions.append(pen.pick(("busy(X,T)", "\\+ busy(X,T)")))
        if trigger == "tick":
            conditions.insert(0, "holdsAt(inside(X)=true,T)")
        how = pen.weighted([(4, "truth"), (3, "value"), (3, "event"), (2, "top"), (2, "cycle"), (1, "delay")])
        head = f"initiatedAt(r{number}(X)=true,T)"
        if how == "value":
            conditions.append(f"V is {self._expression()}")
            head = f"initiatedAt(r{number}(X)=V,T)"
        elif how == "top":
            conditions.append(self._top())
            head = f"initiatedAt(r{number}(X)=B,T)"
        elif how == "cycle":
            conditions.append(f"{pen.pick(('', chr(92) + '+ '))}holdsAt(r{number}(X)=true,T)")
            self._rules.append(f"initiatedAt(r{number}(X)=true,T) :- happensAt(hit(X),T).")
        elif how == "delay":
            self._rules.append(f"fi(r{number}(X)=true, r{number}(X)=late, {pen.number(1, 5)}).")
        elif how == "event":
            head = f"happensAt(e{number}(X),T)"
            self._events.append(f"e{number}(X)")
        body = ", ".join([f"happensAt({trigger},T)", *(conditions if how == "top" else pen.shuffled(conditions))])
        self._rules.append(f"{head} :- {body}.")
        if not head.startswith("happensAt") and pen.chance(60):
            self._rules.append(
                f"terminatedAt(r{number}(X)=_,T) :- happensAt({pen.pick(_TRIGGERS)},T)"
                + (f", {self._test()}." if pen.chance(40) else ".")
            )

    # Conditions

    def _condition(self) -> str:
        first = self._test()
        match self._pen.weighted([(6, "test"), (2, "not"), (1, "not both"), (2, "or"), (1, "if"), (1, "collected")]):
            case "not":
                return f"\\+ {first}"
            case "not both":
                return f"\\+ ({first}, {self._test()})"
            case "or":
                return f"({first} ; {self._test()})"
            case "if":
                return f"({first} -> {self._test()} ; {self._test()})"
            case "collected":
                self._local += 1
                n = self._local
                return f"findall(K{n}, (span(K{n}), {first}), L{n}), length(L{n}, C{n}), C{n} < 2"
            case _:
                return first

    def _test(self) -> str:
        pen = self._pen
        if pen.chance(10):
            # How long the window is, facts say.
            self._local += 1
            length = f"D{self._local}"
            fact = pen.pick((f"span({length})", f"span(X,{length})"))
            return f"({fact}, count_within({pen.pick(self._events).format(n=self._local)},{length},T) >= {pen.number(1, 2)})"
        other = self._aggregate() if pen.chance(25) else str(pen.number(0, 4))
        sides = [self._expression(), other]
        left, right = pen.shuffled(sides) if pen.chance(20) else sides
        return f"{left} {pen.pick(_COMPARISONS)} {right}"

    def _expression(self) -> str:
        pen = self._pen
        found = self._aggregate()
        match pen.weighted([(8, "plain"), (2, "added"), (1, "scaled")]):
            case "added":
                return f"{found} {pen.pick(('+', '-', '*', '/'))} {self._aggregate()}"
            case "scaled":
                return f"{found} * 2 - 1"
            case _:
                return found

    def _aggregate(self) -> str:
        pen = self._pen
        self._local += 1
        match pen.weighted([(4, "count"), (5, "number"), (3, "distinct")]):
            case "count":
                event = pen.pick(self._events).format(n=self._local)
                return f"count_within({event},{self._duration()},T)"
            case "number":
                n = f"N{self._local}"
                item = pen.pick((n, n, n, f"{n} * 2", f"{n} - 1", "1", f"1 / {n}"))
                event = pen.pick((f"set(X,{n})", f"set(X,{n})", f"set(_,{n})", f"set(ann,{n})"))
                item = item if n in item else f"{n} + 0"
                return f"{pen.pick(_NUMBERED)}({item},{event},{self._duration()},T)"
            case _:
                item = f"Z{self._local}"
                patterns = [
                    f"meet(X,{item})",
                    f"meet({item},X)",
                    f"turn(X,{item})",
                    f"turn({item},_)",
                    f"set(X,{item})",
                ]
                event = pen.pick(patterns)
                shown = pen.pick((item, item, f"pair({item},X)", f"{item}-1"))
                return f"distinct_within({shown},{event},{self._duration()},T)"

    def _top(self) -> str:
        pen = self._pen
        by = pen.pick(("B", "B", "0 - B", "B * B"))
        event = pen.pick(("set(X,B)", "set(X,B)", "set(_,B)", "set(ann,B)"))
        return f"top({pen.number(1, 3)},{by},{event},{self._duration()},T)"

    def _duration(self) -> str:
        pen = self._pen
        if self._has_unit and pen.chance(60):
            return pen.pick((f"{pen.number(1, 12)} min", "0.1 h", "60 s"))
        return pen.weighted([(12, str(pen.number(1, 12))), (1, "2*3"), (1, "2.5"), (1, "100")])
