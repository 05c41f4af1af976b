"""Lowers an analysed program to its physical plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis import instant
from holdsfor.compiler.analysis.dependencies import ANY, Vertex
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.garbage import no_garbage_collection
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.bodies import BodyLowering, Goal, Knowledge
from holdsfor.physical.keys import KeyedComponent, choose_stages
from holdsfor.physical.knowledge import digest, goal_info
from holdsfor.physical.order import body_order, by_name, moment_order, rule_order, static_order
from holdsfor.physical.passes import improve
from holdsfor.physical.passes.row_tests import split_row_rules
from holdsfor.physical.scope import RegisterScope
from holdsfor.physical.statics import lower_definition
from holdsfor.physical.ties import fact_ties
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Var

if TYPE_CHECKING:
    from holdsfor.physical.origins import ProgramOrigin

_ROLES = {
    Role.INPUT_EVENT: model.Role.INPUT_EVENT,
    Role.DERIVED_EVENT: model.Role.DERIVED_EVENT,
    Role.INPUT_FLUENT: model.Role.INPUT_FLUENT,
    Role.SIMPLE_FLUENT: model.Role.SIMPLE_FLUENT,
    Role.STATIC_FLUENT: model.Role.STATIC_FLUENT,
    Role.METRIC_FLUENT: model.Role.STATIC_FLUENT,
}
_MOMENTS = {
    instant.INITIATED: model.MomentKind.INITIATED,
    instant.DELAYED: model.MomentKind.DELAYED,
    instant.TERMINATED: model.MomentKind.TERMINATED,
    instant.EVENT: model.MomentKind.EVENT,
}


@record
class Lowered:
    """A plan with the data kept outside of it: the symbols of its tables, and the goals that the core calls back."""

    plan: model.PhysicalPlan
    symbols: tuple[Symbol, ...]
    goals: tuple[Goal, ...]
    origins: tuple[ProgramOrigin, ...] = ()
    """For a plan to be traced: the origins of its programs, in order."""


def lower(plan: Plan) -> Lowered:
    """The physical plan of a program."""
    with no_garbage_collection():
        return _Lowering(plan.analysis).plan(plan)


def lower_for_trace(plan: Plan) -> Lowered:
    """A plan with the same meaning, with one instruction per condition as written, and with its origins.

    No pass changes its programs, so facts are not folded into rules. All rows are kept. Metric predicates are input.
    """
    with no_garbage_collection():
        return _Lowering(plan.analysis, is_traced=True).plan(plan)


class _Lowering:
    def __init__(self, analysis: Analysis, *, is_traced: bool = False) -> None:
        self._analysis = analysis
        self._is_traced = is_traced
        self._symbols = tuple(sorted(analysis.entities.table, key=by_name))
        self._known = Knowledge(analysis, {symbol: number for number, symbol in enumerate(self._symbols)})
        self._known.origins = {} if is_traced else None
        self._groups = [[moment for moment in group if moment.what in _MOMENTS] for group in moment_order(analysis)]
        self._decided: dict[Symbol, list[int]] = {}
        """The groups that decide something about a fluent or event."""
        for number, group in enumerate(self._groups):
            for symbol in dict.fromkeys(moment.vertex.symbol for moment in group):
                self._decided.setdefault(symbol, []).append(number)
        self._delays: dict[Symbol, list[ir.DelayRule]] = {}
        for rule in rule_order(analysis.program.delays):
            if id(rule) in analysis.bodies:
                self._delays.setdefault(analysis.entities.fluent(rule.trigger), []).append(rule)

    def plan(self, logical: Plan) -> Lowered:
        entities = self._analysis.entities
        hidden = self._analysis.program.hidden
        forgotten: dict[Symbol, str] = {}
        if hidden:
            from holdsfor.compiler.analysis.silence import forgotten_texts

            forgotten = forgotten_texts(self._analysis)
        tables = tuple(
            model.Table(
                str(symbol),
                self._role(entities[symbol].role),
                symbol.width,
                is_hidden=symbol.name in hidden,
                forgotten=forgotten.get(symbol, ""),
            )
            for symbol in self._symbols
        )
        stages = tuple(self._stages(logical.filling))
        program = self._analysis.program
        initially = tuple(self._initially(rule) for rule in rule_order(program.initially))
        postpones = tuple(self._condition(rule.fvp, rule) for rule in rule_order(program.postpones))
        groundings = tuple(self._groundings())
        background, literals = self._analysis.background, [goal.literal for goal in self._known.goals]
        plan = model.PhysicalPlan(
            tables=tables,
            stages=stages,
            initially=initially,
            postpones=postpones,
            groundings=groundings,
            facts=tuple(self._known.fact_tables),
            goals=tuple(goal_info(literal, background) for literal in literals),
            knowledge=digest(literals, background),
            max_delayed_effects=logical.max_delayed_effects,
        )
        goals = tuple(self._known.goals)
        if self._known.origins is not None:
            from holdsfor.physical.origins import programs

            origins = tuple(self._known.origins[id(program)] for _, program in programs(stages))
            return Lowered(split_row_rules(plan), self._symbols, goals, origins)
        return Lowered(improve(plan), self._symbols, goals)

    def _role(self, role: Role) -> model.Role:
        is_given = role is Role.METRIC_FLUENT and self._is_traced
        return model.Role.INPUT_FLUENT if is_given else _ROLES[role]

    def _stages(self, filling: frozenset[Symbol]) -> Iterator[model.Stage]:
        number = self._known.tables
        for drafted in choose_stages(self._analysis, filling, is_traced=self._is_traced):
            yield model.Stage(
                tuple(map(self._component, drafted.components)),
                drafted.key,
                tuple(model.Route(number[symbol], (places,), False) for symbol, places in drafted.members),
                tuple(
                    model.Route(number[one.symbol], one.places, not one.places, one.partial_keys)
                    for one in drafted.inputs
                ),
                drafted.is_tied,
                fact_ties(drafted.facts, self._analysis),
                drafted.why,
            )

    def _component(self, component: KeyedComponent) -> model.Component:
        analysis, members = self._analysis, component.members
        if members[0] in analysis.graph.metric:
            return self._metric(members)
        inside = frozenset(members)
        rules: dict[int, int] = {}
        lowered: list[model.Rule] = []
        lists: list[model.Definition] = []
        for rule in component.rules:
            if isinstance(rule, ir.EffectRule | ir.EventRule):
                rules[id(rule)] = len(lowered)
                lowered.append(self._rule(rule))
        for symbol in static_order(members, analysis):
            definitions = [rule for rule in analysis.entities[symbol].rules if isinstance(rule, ir.IntervalRule)]
            lists += [self._definition(rule, is_last=rule is definitions[-1]) for rule in definitions]
        numbers = sorted({number for symbol in members for number in self._decided.get(symbol, ())})
        groups = tuple(
            self._group([moment for moment in self._groups[number] if moment.vertex.symbol in inside], rules)
            for number in numbers
        )
        delays = tuple(self._delay(rule) for symbol in members for rule in self._delays.get(symbol, ()))
        tables = tuple(self._known.tables[symbol] for symbol in members)
        is_static = analysis.is_static(members)
        return model.Component(tables, groups, tuple(lowered), tuple(lists), delays, is_static)

    def _metric(self, members: tuple[Symbol, ...]) -> model.Component:
        from holdsfor.physical.metric_component import metric_component

        tables = tuple(self._known.tables[symbol] for symbol in members)
        found = metric_component(members, self._analysis, self._known.tables)
        return model.Component(tables, (), (), (), (), is_static=True, metric=found)

    def _group(self, moments: list[instant.Moment], rules: dict[int, int]) -> model.Group:
        graph = self._analysis.graph
        found: dict[int, None] = {}
        decisions = []
        for moment in moments:
            for rule in self._analysis.entities[moment.vertex.symbol].rules:
                if id(rule) in rules and moment.what == _what(rule) and moment.vertex in graph.heads(rule):
                    found.setdefault(rules[id(rule)])
            if moment.what != instant.EVENT:
                decisions.append(self._decision(moment))
        repeats = len(moments) > 1 or any(moment in self._analysis.instant.needs[moment] for moment in moments)
        return model.Group(tuple(sorted(found)), tuple(decisions), repeats)

    def _decision(self, moment: instant.Moment) -> model.Decision:
        table = self._known.tables[moment.vertex.symbol]
        return model.Decision(_MOMENTS[moment.what], table, self._value_shape(moment.vertex))

    def _value_shape(self, vertex: Vertex) -> code.Shape:
        if vertex.value == ANY:
            return code.Anything()
        return RegisterScope(Counter()).pattern(self._analysis.graph.values[vertex])

    # Rules

    def _body(self, rule: ir.Rule) -> ir.Body:
        body = self._analysis.body(rule)
        return body if self._is_traced else body_order(body)

    def _definition(self, rule: ir.IntervalRule, *, is_last: bool) -> model.Definition:
        return lower_definition(rule, self._body(rule), self._known, is_last=is_last)

    def _rule(self, rule: ir.EffectRule | ir.EventRule) -> model.Rule:
        body = self._body(rule)
        scope = self._known.scope(self._occurrences(rule))
        assert isinstance(rule.time, Var)
        scope.put_now(rule.time.name)
        lowering = BodyLowering(self._known, scope, rule.time.name, body)
        drivers = tuple(dict.fromkeys(self._drivers(lowering.with_late_ends(body), rule.time.name)))
        block = lowering.block(body)
        if isinstance(rule, ir.EventRule):
            table, columns = self._known.event(rule.event)
            kind, value = model.HeadKind.HAPPEN, None
        else:
            table, columns = self._known.fluent(rule.fvp)
            kind = model.HeadKind.INITIATE if rule.kind is ir.EffectKind.INITIATED else model.HeadKind.TERMINATE
            value = scope.head(rule.fvp.value)
        heads = tuple(scope.head(term) for term in columns)
        program = self._known.note(rule, model.Program(block, scope.size), scope)
        return model.Rule(kind, table, heads, value, program, drivers, origin=code.origin(rule.span))

    def _drivers(self, body: Iterable[ir.Literal], now: str) -> Iterator[int]:
        """The tables of the first condition that triggers the rule; for a disjunction, the tables of every branch."""
        for literal in body:
            match literal:
                case ir.Happens(event=event, time=Var(name=name)) if name == now:
                    yield self._known.event(event)[0]
                    return
                case ir.Boundary(fvp=fvp, time=Var(name=name)) | ir.Effect(fvp=fvp, time=Var(name=name)) if name == now:
                    yield self._known.fluent(fvp)[0]
                    return
                case ir.Or(branches=branches):
                    found = [list(self._drivers(branch, now)) for branch in branches]
                    if all(found):
                        yield from (table for one in found for table in one)
                        return
                case _:
                    continue

    def _delay(self, rule: ir.DelayRule) -> model.Delay:
        table, columns, value, scope = self._given_pair(rule.trigger, rule)
        body = self._body(rule)
        block = BodyLowering(self._known, scope, None, body).block(body)
        effect = None
        if rule.effect is not None:
            target, terms = self._known.fluent(rule.effect)
            effect = target, scope.patterns(terms), scope.pattern(rule.effect.value)
        delay = scope.expression(rule.delay)
        site = scope.site(rule.span, rule)
        return model.Delay(
            table, columns, value, model.Program(block, scope.size), delay, effect, site, code.origin(rule.span)
        )

    def _occurrences(self, rule: ir.Rule) -> Counter[str]:
        """How often each variable occurs in the body as executed. Groundings may have added conditions to the body."""
        return Counter(v.name for v in ir.rule_variables(replace(rule, body=self._body(rule))))

    def _given_pair(self, fvp: ir.Fvp, rule: ir.Rule) -> tuple[int, tuple[code.Shape, ...], code.Shape, RegisterScope]:
        scope = RegisterScope(self._occurrences(rule))
        table, columns = self._known.fluent(fvp)
        shapes = scope.patterns(columns)
        return table, shapes, scope.pattern(fvp.value), scope

    def _condition(self, fvp: ir.Fvp, rule: ir.PostponeRule | ir.Declaration) -> model.PairProgram:
        table, columns, value, scope = self._given_pair(fvp, rule)
        body = self._body(rule)
        block = BodyLowering(self._known, scope, None, body).block(body)
        return model.PairProgram(table, columns, value, model.Program(block, scope.size), code.origin(rule.span))

    def _groundings(self) -> Iterator[model.PairProgram]:
        for symbol in self._symbols:
            for declaration in rule_order(self._analysis.entities[symbol].groundings):
                pair = declaration.args[0]
                if symbol.kind is EntityKind.FLUENT and isinstance(pair, Compound) and pair.name == "=":
                    fvp = ir.Fvp(pair.args[0], pair.args[1], part=symbol.part)
                    yield self._condition(fvp, declaration)

    def _initially(self, rule: ir.InitiallyRule) -> model.PairProgram:
        scope = RegisterScope(self._occurrences(rule))
        body = self._body(rule)
        block = BodyLowering(self._known, scope, None, body).block(body)
        table, columns = self._known.fluent(rule.fvp)
        heads = scope.patterns(columns)
        value = scope.pattern(rule.fvp.value)
        return model.PairProgram(table, heads, value, model.Program(block, scope.size), code.origin(rule.span))


def _what(rule: ir.Rule) -> str:
    if isinstance(rule, ir.EventRule):
        return instant.EVENT
    assert isinstance(rule, ir.EffectRule)
    return instant.INITIATED if rule.kind is ir.EffectKind.INITIATED else instant.TERMINATED
