"""The collection of rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from holdsfor import ir
from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.drafts import Draft, Finish, Head, IntervalDraft, RuleDraft
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import RuleKind, Scope, VariableNames
from holdsfor.frontend.builder.states import Pair, as_effect, as_pair
from holdsfor.frontend.builder.symbols import EventTerm, Fact, FactTerm
from holdsfor.frontend.builder.terms import TermLike, to_length, to_term
from holdsfor.frontend.builder.values import T, term
from holdsfor.syntax.parser import flatten
from holdsfor.syntax.terms import Compound, Const, Term, variables

_D = TypeVar("_D", bound=Draft)
_PAIRED = {("fi", 3), ("ft", 2), ("p", 1), ("points", 1)}
"""Names of facts, except if the first argument is a fluent with its value."""
_HEADS = {"initiates", "terminates", "initially", ":-", "=", *ir.DeclarationKind} - {"points", "directive"}
"""Names that facts cannot have."""


class Rules:
    """Rules in the order in which they are added.

    >>> from holdsfor.frontend.builder import event, fluent, var
    >>> from holdsfor.frontend.rtec import print_program
    >>> rules, lamp, Room = Rules(), fluent("lamp"), var("Room")
    >>> rules.initiate(lamp(Room) == "on").when(event("press")(Room), ~(lamp(Room) == "broken"))
    >>> print(print_program(rules.program()), end="")
    initiatedAt(lamp(Room)=on, T) :-
        happensAt(press(Room), T),
        \\+ holdsAt(lamp(Room)=broken, T).
    """

    def __init__(self) -> None:
        self._entries: list[Draft | ir.Rule] = []

    def program(self) -> ir.Program:
        """The program of all rules so far."""
        drafts = [entry for entry in self._entries if isinstance(entry, Draft)]
        unfinished = [draft._error_message() for draft in drafts if draft._rule is None]
        if unfinished:
            raise BuilderError("\n".join(unfinished))
        rules = (entry._rule if isinstance(entry, Draft) else entry for entry in self._entries)
        return ir.Program(tuple(rule for rule in rules if rule is not None))

    def include(self, other: Rules | ir.Program) -> None:
        """Adds all rules of another collection or program, for example of one parsed from text."""
        if not isinstance(other, Rules | ir.Program):
            raise BuilderError(f"include(…) takes rules or a program, not {other!r}")
        self._entries.extend((other.program() if isinstance(other, Rules) else other).rules)

    # Fluents

    def initiate(self, pair: Pair, *, at: TermLike = T) -> RuleDraft:
        """The fluent starts to hold after the time-point of the rule. Continue with `.when(…)`."""
        return self._effect(ir.EffectKind.INITIATED, pair, at, "rules.initiate")

    def terminate(self, pair: Pair, *, at: TermLike = T) -> RuleDraft:
        """The fluent ceases to hold after the time-point of the rule. Continue with `.when(…)`."""
        return self._effect(ir.EffectKind.TERMINATED, pair, at, "rules.terminate")

    def _effect(self, kind: ir.EffectKind, pair: Pair, at: TermLike, name: str) -> RuleDraft:
        checked, time = as_pair(pair, f"{name}(…)"), to_term(at)

        def head(scope: Scope) -> Finish:
            fvp, moment = checked._fvp(scope), scope.moment(checked.place, checked)
            return lambda body, place: ir.EffectRule(kind, fvp, moment, body, place)

        return self._at_time(f"{name}({checked!r})", head, time)

    def initially(self, pair: Pair) -> RuleDraft:
        """The fluent holds from the first time-point on. `.when(…)` may restrict its arguments."""
        checked = as_pair(pair, "rules.initially(…)")

        def head(scope: Scope) -> Finish:
            fvp = checked._fvp(scope)
            return lambda body, place: ir.InitiallyRule(fvp, body, place)

        return self._add(RuleDraft(f"rules.initially({checked!r})", RuleKind.TIMELESS, head, is_complete=True))

    def holds(self, pair: Pair) -> IntervalDraft:
        """The fluent is defined by the intervals of other fluents. Continue with `.during(…)`."""
        checked = as_pair(pair, "rules.holds(…)")
        return self._add(IntervalDraft(f"rules.holds({checked!r})", checked))

    # Events

    def happens(self, event: EventTerm, *, at: TermLike = T) -> RuleDraft:
        """The event happens at the time-point of the rule. Continue with `.when(…)`."""
        if not isinstance(event, EventTerm):
            raise BuilderError(f"rules.happens(…) needs an event with its arguments, not {event!r}")

        def head(scope: Scope) -> Finish:
            atom, moment = scope.term(event.atom, event.place), scope.moment(event.place, event)
            return lambda body, place: ir.EventRule(atom, moment, body, place)

        return self._at_time(f"rules.happens({event!r})", head, to_term(at))

    def _at_time(self, shown: str, head: Head, time: Term) -> RuleDraft:
        """A rule at a time-point; if this is constant, conditions are optional."""
        return self._add(RuleDraft(shown, RuleKind.POINT, head, time=time, is_complete=isinstance(time, Const)))

    # Delayed effects

    def after(self, delay: TermLike, pair: Pair, *, becomes: Pair | TermLike) -> RuleDraft:
        """A delay after its initiation, the fluent gets another value. `.when(…)` may compute the delay."""
        trigger = as_pair(pair, "rules.after(…)")
        effect = as_effect(becomes, trigger)
        if effect.fluent is trigger.fluent and any(variable.is_anonymous for variable in variables(trigger.fluent)):
            raise BuilderError(
                f"rules.after({delay!r}, {trigger!r}, …): each ANY is another variable, so the two values would belong "
                "to different fluents; use named variables"
            )
        return self._delay(delay, trigger, effect, f"rules.after({delay!r}, {trigger!r}, becomes={becomes!r})")

    def ends_after(self, delay: TermLike, pair: Pair) -> RuleDraft:
        """A delay after its initiation, the fluent ceases to hold. `.when(…)` may compute the delay."""
        trigger = as_pair(pair, "rules.ends_after(…)")
        return self._delay(delay, trigger, None, f"rules.ends_after({delay!r}, {trigger!r})")

    def _delay(self, delay: TermLike, trigger: Pair, effect: Pair | None, shown: str) -> RuleDraft:
        period = to_length(delay, shown.partition("(")[0] + "(…)")

        def head(scope: Scope) -> Finish:
            cause = trigger._fvp(scope)
            result = None if effect is None else effect._fvp(scope)
            length = scope.term(period, trigger.place)
            return lambda body, place: ir.DelayRule(cause, result, length, body, place)

        return self._add(RuleDraft(shown, RuleKind.TIMELESS, head, is_complete=True))

    def postpone(self, pair: Pair) -> RuleDraft:
        """A new initiation postpones the delayed effects of the fluent."""
        checked = as_pair(pair, "rules.postpone(…)")

        def head(scope: Scope) -> Finish:
            fvp = checked._fvp(scope)
            return lambda body, place: ir.PostponeRule(fvp, body, place)

        return self._add(RuleDraft(f"rules.postpone({checked!r})", RuleKind.TIMELESS, head, is_complete=True))

    # Background knowledge

    def fact(self, *facts: FactTerm) -> None:
        """Adds facts of the background knowledge."""
        place = here()
        for one in facts:
            scope = Scope(RuleKind.BACKGROUND, "rules.fact", VariableNames())
            self._entries.append(ir.BackgroundRule(scope.term(_as_head(one, "rules.fact"), place), (), place))

    def facts(self, symbol: Fact, rows: Iterable[Iterable[TermLike]]) -> None:
        """Adds a fact for each row of arguments."""
        if not isinstance(symbol, Fact):
            raise BuilderError(
                f"rules.facts(…) needs a fact, as in rules.facts(fact('areaType'), rows), not {symbol!r}"
            )
        for row in rows:
            if isinstance(row, str) or not isinstance(row, Iterable):
                raise BuilderError(f"rules.facts({symbol!r}, …): a row is a list of arguments, not {row!r}")
            self.fact(symbol(*row))

    def define(self, fact: FactTerm) -> RuleDraft:
        """A background rule: the conditions imply the fact. Continue with `.when(…)`."""
        atom = _as_head(fact, "rules.define")

        def head(scope: Scope) -> Finish:
            written = scope.term(atom, fact.place)
            return lambda body, place: ir.BackgroundRule(written, body, place)

        return self._add(RuleDraft(f"rules.define({fact!r})", RuleKind.BACKGROUND, head))

    # Declarations

    def time_unit(self, unit: str, *, zone: str | None = None) -> None:
        """Declares the time unit: `ns`, `us`, `ms`, `s`, `min`, `h` or `d`; and a time zone such as "Europe/Athens"."""
        self.declare(ir.DeclarationKind.DIRECTIVE, term("time_unit")(unit))
        if zone is not None:
            self.declare(ir.DeclarationKind.DIRECTIVE, term("time_zone")(zone))

    def ground(self, entity: Pair | EventTerm) -> RuleDraft:
        """Restricts a fluent or event to these arguments. `.when(…)` may restrict them further."""
        return self.declare(ir.DeclarationKind.GROUNDING, entity)

    def input_intervals(self, pair: Pair) -> RuleDraft:
        """Declares an input fluent that arrives as intervals."""
        return self.declare(ir.DeclarationKind.COLLECT_INTERVALS, as_pair(pair, "rules.input_intervals(…)"))

    def input_points(self, pair: Pair) -> RuleDraft:
        """Declares an input fluent that arrives as time-points, which are joined to intervals."""
        return self.declare(ir.DeclarationKind.BUILD_FROM_POINTS, as_pair(pair, "rules.input_points(…)"))

    def declare(self, kind: ir.DeclarationKind | str, *args: TermLike) -> RuleDraft:
        """Adds a declaration by its name in rule text, or a directive."""
        try:
            checked = ir.DeclarationKind(kind)
        except ValueError:
            known = ", ".join(ir.DeclarationKind)
            raise BuilderError(f"{kind!r} is not a declaration; the declarations are {known}") from None
        if not args:
            raise BuilderError(f"rules.declare({checked.value!r}, …) needs something to declare")
        if checked is ir.DeclarationKind.POINTS and (len(args) > 1 or not isinstance(args[0], Pair)):
            raise BuilderError("rules.declare('points', …) needs one fluent with its value")
        terms = tuple(_declared(arg) for arg in args)
        if checked is ir.DeclarationKind.DIRECTIVE:
            terms = flatten(",", terms)

        def head(scope: Scope) -> Finish:
            written = scope.terms(terms, place)
            return lambda body, span: _declaration(checked, written, body, span)

        place = here()
        return self._add(RuleDraft(f"rules.declare({checked.value!r}, …)", RuleKind.TIMELESS, head, is_complete=True))

    def _add(self, draft: _D) -> _D:
        self._entries.append(draft)
        return draft


def _as_head(fact: object, name: str) -> Term:
    if not isinstance(fact, FactTerm):
        raise BuilderError(f"{name}(…) needs a fact with its arguments, as in area('brest', 'port'), not {fact!r}")
    atom = fact.atom
    if isinstance(atom, Compound):
        first = atom.args[0]
        is_paired = (atom.name, len(atom.args)) in _PAIRED and isinstance(first, Compound) and first.name == "="
        if is_paired or atom.name in _HEADS:
            raise BuilderError(
                f"{atom.name} is part of the language and cannot be a fact: see rules.initially, rules.declare"
            )
    return atom


def _declared(arg: TermLike) -> Term:
    """The term of a declaration; a fluent without a value means the value true."""
    if isinstance(arg, Pair):
        return Compound("=", (arg.fluent, arg.value))
    return to_term(arg)


def _declaration(kind: ir.DeclarationKind, args: tuple[Term, ...], body: ir.Body, place: Span) -> ir.Declaration:
    if kind is ir.DeclarationKind.DIRECTIVE and body:
        raise BuilderError("a directive has no conditions")
    return ir.Declaration(kind, args, body, place)
