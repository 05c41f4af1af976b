"""Checks safety: every rule gets an executable body, or a diagnostic about unbound variables."""

from __future__ import annotations

from collections import Counter

from holdsfor import ir
from holdsfor.compiler.analysis.binding import Schedule, names, schedule, unbound_in
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.analysis.unbound import UnboundFindings
from holdsfor.compiler.background import Background
from holdsfor.compiler.passes.rename import rename_body
from holdsfor.diagnostics import Diagnostic
from holdsfor.logic.unify import resolve, unify
from holdsfor.syntax.terms import Compound, ListTerm, Term, Var, variables


class Safety:
    """Orders bodies and collects diagnostics."""

    def __init__(self, entities: Entities, background: Background) -> None:
        self._entities = entities
        self._background = background
        self.diagnostics: list[Diagnostic] = []

    def order(self, rule: ir.Rule) -> ir.Body | None:
        """The body of a rule in an executable order; None after a diagnostic was recorded."""
        body = self._ordered(rule)
        if body is None or not isinstance(rule, ir.EffectRule | ir.EventRule):
            return body
        # Events come first, because they trigger the rule. A rule without an event is reported elsewhere.
        driven = self._schedule(rule, body, set())
        return body if driven.stuck else driven.body

    def _ordered(self, rule: ir.Rule) -> ir.Body | None:
        match rule:
            case ir.EffectRule(kind=ir.EffectKind.TERMINATED):
                return self._termination(rule)
            case ir.EffectRule(fvp=fvp):
                return self._all_bound(rule, self._with_grounding(rule, fvp), names(rule.time))
            case ir.EventRule():
                return self._all_bound(rule, rule.body, names(rule.time))
            case ir.InitiallyRule(fvp=fvp):
                return self._all_bound(rule, self._with_grounding(rule, fvp), set())
            case ir.IntervalRule(out=ListTerm(items=(), tail=None)):
                return self._runnable(rule, rule.body, _head_names(rule))
            case ir.IntervalRule(fvp=fvp):
                return self._all_bound(rule, self._for_declared(rule, fvp), set())
            case ir.DelayRule():
                return self._delay(rule)
            case _:
                return self._runnable(rule, rule.body, _head_names(rule))

    def check_background(self, rule: ir.BackgroundRule) -> None:
        """Reports conditions of a background rule that cannot run even if all its arguments are bound."""
        if rule.body:
            self._runnable(rule, rule.body, _head_names(rule))

    def _schedule(self, rule: ir.Rule, body: ir.Body, bound: set[str]) -> Schedule:
        return schedule(body, bound, self._background.needs, frozenset(_head_names(rule)))

    def _all_bound(self, rule: ir.Rule, body: ir.Body, bound: set[str]) -> ir.Body | None:
        """Checks heads that must be ground after the body has been solved."""
        result = self._schedule(rule, body, bound)
        if result.stuck:
            self._report_stuck(rule, result)
            return None
        heads = (rule.out,) if isinstance(rule, ir.IntervalRule) and not rule.body else ir.head_terms(rule)
        loose = [v for term in heads for v in variables(term) if v.name not in result.bound]
        for variable in {v.name: v for v in loose}.values():
            self._report_loose(rule, variable)
        return None if loose else result.body

    def _termination(self, rule: ir.EffectRule) -> ir.Body | None:
        """Orders the body of a termination. Open head variables terminate every matching instance."""
        bound = names(rule.time)
        result = self._schedule(rule, rule.body, bound)
        is_tested = bool(_head_names(rule) & {n for lit in result.stuck for n in unbound_in(lit, result.bound)})
        if is_tested or (not result.stuck and self._is_selective(rule.fvp, result.bound)):
            # A test on an open head variable, or on its parts, runs for each instance that can be terminated.
            instances = ir.Instance(rule.fvp, rule.time)
            result = self._schedule(rule, (*rule.body, instances), bound)
        if result.stuck:
            self._report_stuck(rule, result)
            return None
        return result.body

    def _is_selective(self, fvp: ir.Fvp, bound: frozenset[str]) -> bool:
        """Whether open variables of a pair select only some instances: they are nested in a term, or repeated."""
        terms = (*self._entities.fluent(fvp).columns(fvp.fluent), fvp.value)
        loose = Counter(v.name for term in terms for v in variables(term) if v.name not in bound)
        inside = any(not isinstance(term, Var) and names(term) - bound for term in terms)
        return inside or any(times > 1 for times in loose.values())

    def _delay(self, rule: ir.DelayRule) -> ir.Body | None:
        trigger = names(rule.trigger.fluent) | names(rule.trigger.value)
        body = rule.body if rule.effect is None else self._with_grounding(rule, rule.effect)
        return self._all_bound(rule, body, trigger)

    def _runnable(self, rule: ir.Rule, body: ir.Body, bound: set[str]) -> ir.Body | None:
        result = self._schedule(rule, body, bound)
        if result.stuck:
            self._report_stuck(rule, result)
            return None
        return result.body

    # Declared instances

    def _with_grounding(self, rule: ir.Rule, fvp: ir.Fvp) -> ir.Body:
        """Completes a body that leaves head variables open with the groundings of the fluent, for any value."""
        given = self._schedule(rule, rule.body, _given_names(rule)).bound
        open_names = (names(fvp.fluent) | names(fvp.value)) - given
        if not open_names:
            return rule.body
        found = (instantiate(one, fvp, any_value=True) for one in self._groundings(fvp))
        branches = [
            one for one in found if one is not None and open_names <= self._schedule(rule, one, set(given)).bound
        ]
        return (*rule.body, *_any_of(branches))

    def _for_declared(self, rule: ir.IntervalRule, fvp: ir.Fvp) -> ir.Body:
        """The body of a `holdsFor` rule for the instances that groundings declare, if any."""
        found = (instantiate(one, fvp, any_value=False) for one in self._groundings(fvp))
        branches = [one for one in found if one is not None]
        head = names(fvp.fluent) | names(fvp.value)
        ends = {frozenset(head & self._schedule(rule, one, set()).bound) for one in branches}
        if len(ends) != 1:
            # Some groundings leave a variable open to which others give values. Only the conditions find such
            # instances.
            return self._with_grounding(rule, fvp)
        return (*rule.body, *_any_of(branches))

    def _groundings(self, fvp: ir.Fvp) -> list[ir.Declaration]:
        return self._entities[self._entities.fluent(fvp)].groundings

    # Diagnostics

    def _report_stuck(self, rule: ir.Rule, result: Schedule) -> None:
        findings = UnboundFindings(rule, self._background.needs)
        self.diagnostics.extend(findings.about_conditions(result.stuck, result.bound))

    def _report_loose(self, rule: ir.Rule, variable: Var) -> None:
        has_groundings = isinstance(rule, ir.EffectRule | ir.IntervalRule) and bool(self._groundings(rule.fvp))
        findings = UnboundFindings(rule, self._background.needs, has_groundings=has_groundings)
        self.diagnostics.append(findings.about_head(variable))


def _any_of(branches: list[ir.Body]) -> ir.Body:
    distinct = list(dict.fromkeys(branches))
    return distinct[0] if len(distinct) == 1 else (ir.Or(tuple(distinct)),) if distinct else ()


def instantiate(declaration: ir.Declaration, fvp: ir.Fvp, *, any_value: bool) -> ir.Body | None:
    """The conditions of a grounding, with the variable names of a rule head."""
    declared = declaration.args[0]
    assert isinstance(declared, Compound)
    apart: dict[str, Term] = {v.name: Var(f"{v.name}~") for v in ir.rule_variables(declaration)}
    fluent, value = (resolve(term, apart) for term in declared.args)
    bindings = unify(fluent, fvp.fluent, {})
    with_value = None if bindings is None else unify(value, fvp.value, bindings)
    bindings = with_value if with_value is not None or not any_value else bindings
    if bindings is None:
        return None
    named = {name: resolve(Var(name), bindings) for name in bindings}
    return rename_body(rename_body(declaration.body, apart), named)


def _head_names(rule: ir.Rule) -> set[str]:
    return {name for term in ir.head_terms(rule) for name in names(term)}


def _given_names(rule: ir.Rule) -> set[str]:
    """The variables that are bound before a body runs."""
    match rule:
        case ir.EffectRule(time=time) | ir.EventRule(time=time):
            return names(time)
        case ir.DelayRule(trigger=trigger):
            return names(trigger.fluent) | names(trigger.value)
        case _:
            return set()
