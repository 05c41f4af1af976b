"""Lowers rules of statically determined fluents to programs over list registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from holdsfor import ir
from holdsfor.compiler.analysis.binding import schedule
from holdsfor.logic.unify import substitute
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.bodies import BodyLowering, Goal, Knowledge
from holdsfor.physical.required import required_leaves
from holdsfor.physical.scope import RegisterScope
from holdsfor.syntax.terms import EMPTY_LIST, ListTerm, Term, Var, variables

_NO_LIMIT = -1


def lower_definition(rule: ir.IntervalRule, body: ir.Body, known: Knowledge, *, is_last: bool) -> model.Definition:
    """Lowers a `holdsFor` rule: first the values of its variables, then its conditions, then its list.

    For the last rule of a pair, only non-empty lists matter: an empty list is the same as no result. So the required
    pairs of the rule enumerate the values of its variables.
    """
    scanned = required_leaves(rule, body) if is_last else []
    return _Definition(rule, body, known).lowered(scanned)


class _Definition(BodyLowering):
    def __init__(self, rule: ir.IntervalRule, body: ir.Body, known: Knowledge) -> None:
        occurrences = Counter(v.name for v in ir.rule_variables(rule))
        super().__init__(known, known.scope(occurrences), None, body)
        self._rule, self._body = rule, body
        self._list_names = _list_names(rule, body)

    def lowered(self, scanned: list[ir.Intervals]) -> model.Definition:
        rule, scope = self._rule, self._scope
        block: list[code.Instruction] = []
        for literal in sorted(scanned, key=lambda one: -len({v.name for v in ir.literal_variables(one)})):
            made = self._literal(literal)
            block += made
            scope.note(literal, made)
        plain = tuple(lit for lit in self._body if not self._is_about_lists(lit))
        # A variable without a reader is matched where its fluent is looked up.
        idle = {name for literal in scanned for name in ir.variable_names((literal,)) if scope.is_idle(name)}
        domains = [name for name in self._domain_names() if name not in scope.bound | idle]
        outside = (frozenset(v.name for v in ir.rule_variables(rule)) - ir.variable_names(plain)) | frozenset(domains)
        needs = self._known.analysis.background.needs
        given = schedule(plain, set(scope.bound), needs, outside).bound
        block += [self._domain(name) for name in domains if name not in given]
        ordered = schedule(plain, set(scope.bound), needs, outside)
        rest = self._body
        if not ordered.stuck:
            block += self.block(ordered.body)
            rest = tuple(lit for lit in self._body if self._is_about_lists(lit))
        block += self.block(tuple(literal for literal in rest if literal not in scanned))
        # A list in the head that is not a valid list gives nothing.
        out = self._list_of(rule.out, block, code.Site())
        table, columns = self._known.fluent(rule.fvp)
        heads = tuple(scope.head(term) for term in columns)
        value = scope.head(rule.fvp.value)
        program = self._known.note(rule, model.Program(tuple(block), scope.size, len(scope.lists)), scope)
        return model.Definition(table, heads, value, program, out, code.origin(rule.span))

    def _literal(self, literal: ir.Literal) -> Sequence[code.Instruction]:
        if isinstance(literal, ir.FindAll) and any(isinstance(one, ir.Intervals) for one in ir.walk(literal.body)):
            return (self._collect_lists(literal),)
        if (
            isinstance(literal, ir.Compare | ir.Call | ir.Assign | ir.FindAll)
            and ir.variable_names((literal,)) & self._list_names
        ):
            return (self._list_call(literal),)
        return super()._literal(literal)

    def _collect_lists(self, literal: ir.FindAll) -> code.Instruction:
        """Converts collected interval lists to terms."""
        scope = self._scope
        with scope.inner():
            block = list(self.block(literal.body))
            spelled: dict[str, Term] = {}
            for name in sorted({v.name for v in variables(literal.template)} & self._list_names):
                term = Var(f"{name} as a term")
                block.append(code.Spell(scope.list_register(name), scope.bind(term.name)))
                spelled[name] = term
            template = scope.pattern(substitute(literal.template, spelled))
        site = scope.site(literal.span, literal)
        return code.Collect(template, tuple(block), scope.pattern(literal.result), site=site)

    def _list_call(self, literal: ir.Compare | ir.Call | ir.Assign | ir.FindAll) -> code.Instruction:
        scope = self._scope
        if isinstance(literal, ir.Compare) and literal.operator == "=":
            sides = literal.left, literal.right
            if isinstance(sides[0], Var) and isinstance(sides[1], Var):
                source, target = (side.name for side in sides if isinstance(side, Var))
                if source not in scope.bound:
                    source, target = target, source
                tests = target in scope.bound
                scope.bound.add(target)
                return code.Copy(scope.list_register(source), scope.list_register(target), tests)
        names = ir.variable_names((literal,))
        lists, others = sorted(names & self._list_names), sorted(names - self._list_names)
        goal = Goal(
            literal,
            tuple(name for name in others if name in scope.bound),
            tuple(name for name in others if name not in scope.bound),
            tuple(name for name in lists if name in scope.bound),
            tuple(name for name in lists if name not in scope.bound),
        )
        site = scope.site(literal.span, literal)
        number = self._known.add_goal(goal)
        scope.bound |= set(lists)
        return code.ListCall(
            number,
            tuple(scope.register(name) for name in goal.inputs),
            tuple(scope.bind(name) for name in goal.outputs),
            tuple(scope.list_register(name) for name in goal.list_inputs),
            tuple(scope.list_register(name) for name in goal.list_outputs),
            site,
        )

    def _is_about_lists(self, literal: ir.Literal) -> bool:
        inside = ir.walk((literal,))
        return any(isinstance(inner, ir.Intervals | ir.Algebra | ir.Guard) for inner in inside) or bool(
            ir.variable_names((literal,)) & self._list_names
        )

    def _domain_names(self) -> Iterator[str]:
        found: dict[str, None] = {}
        for literal in ir.walk(self._body):
            if isinstance(literal, ir.Intervals):
                for term in (literal.fvp.fluent, literal.fvp.value):
                    found |= dict.fromkeys(v.name for v in variables(term))
        return iter(found)

    def _domain(self, name: str) -> code.Instruction:
        """Every value that a variable has at its places in the fluents of the rule, independent of other variables."""
        places = []
        for literal in ir.walk(self._body):
            if not isinstance(literal, ir.Intervals):
                continue
            terms = (literal.fvp.fluent, literal.fvp.value)
            if name not in {v.name for term in terms for v in variables(term)}:
                continue
            table, columns = self._known.fluent(literal.fvp)
            # This scan has its own scope: other variables of the pattern are not those of the rule here.
            occurrences = self._scope.occurrences + Counter({name: 1})
            inner = RegisterScope(occurrences, {name: self._scope.register(name)}, first=self._first_free())
            shapes = inner.patterns(columns)
            places.append(code.Place(table, shapes, inner.pattern(literal.fvp.value)))
            self._scope.passing = max(self._scope.passing, *inner.registers.values())
        return code.Domain(self._scope.bind(name), tuple(places))

    def _first_free(self) -> int:
        """The first register behind all registers that the rule can need, for variables of a single match."""
        return len({v.name for v in ir.rule_variables(self._rule)}) + self._scope.first

    def _list_condition(self, literal: ir.Literal) -> Sequence[code.Instruction]:
        scope = self._scope
        match literal:
            case ir.Intervals(fvp=fvp, out=given):
                table, columns = self._known.fluent(fvp)
                shapes = scope.patterns(columns)
                value = scope.pattern(fvp.value)
                out, tests = self._given_list(given, literal)
                return (code.Lookup(table, shapes, value, out), *tests)
            case ir.Guard(intervals=Var(name=name), empty=empty):
                gives = empty and name not in scope.bound
                scope.bound.add(name)
                return (code.Empty(scope.list_register(name), negated=not empty, gives=gives),)
            case ir.Algebra():
                return self._operate(literal)
            case _:
                raise NotImplementedError(type(literal).__name__)

    def _operate(self, literal: ir.Algebra) -> Sequence[code.Instruction]:
        block: list[code.Instruction] = []
        rest = [term.tail.name for term in literal.inputs if isinstance(term, ListTerm) and isinstance(term.tail, Var)]
        site = self._scope.site(literal.span, literal)
        lists = [term for term in literal.inputs if not (isinstance(term, ListTerm) and term.tail is not None)]
        inputs = tuple(self._list_of(term, block, site) for term in lists)
        bound = None if literal.bound is None else self._scope.expression(literal.bound)
        out, tests = self._given_list(literal.out, literal)
        others = self._scope.register(rest[0]) if rest else None
        block.append(code.Operate(literal.operator.value, inputs, out, _parameters(literal), bound, others, site))
        return [*block, *tests]

    def _given_list(self, term: Term, literal: ir.Intervals | ir.Algebra) -> tuple[int, Sequence[code.Instruction]]:
        """The register for a list that a condition gives. A bound or literal list must be equal to it."""
        scope = self._scope
        if isinstance(term, Var) and term.name not in scope.bound:
            scope.bound.add(term.name)
            return scope.list_register(term.name), ()
        found = Var(f"[]{len(scope.lists)}")
        register = scope.list_register(found.name)
        if isinstance(term, Var):
            return register, (code.Copy(register, scope.list_register(term.name), tests=True),)
        if term == EMPTY_LIST:
            return register, (code.Empty(register),)
        self._list_names.add(found.name)
        scope.bound.add(found.name)
        return register, (self._list_call(ir.Compare("=", found, term, literal.span)),)

    def _list_of(self, term: Term, block: list[code.Instruction], site: code.Site) -> int:
        """The register of a list; a literal list is created first."""
        scope = self._scope
        if isinstance(term, Var):
            return scope.list_register(term.name)
        register = scope.list_register(f"[]{len(scope.lists)}")
        if term == EMPTY_LIST:
            block.append(code.Empty(register, gives=True))
        else:
            block.append(code.Read(scope.pattern(term), register, site))
        return register


def _list_names(rule: ir.IntervalRule, body: ir.Body) -> set[str]:
    """The variables for interval lists, as determined by their use."""
    found: set[str] = set()
    for literal in ir.walk(body):
        match literal:
            case ir.Intervals(out=Var(name=name)):
                found.add(name)
            case ir.Algebra(inputs=inputs, out=out):
                found |= {term.name for term in (*inputs, out) if isinstance(term, Var)}
            case ir.Guard(intervals=term):
                found |= {v.name for v in variables(term)}
            case _:
                continue
    found |= {rule.out.name} if isinstance(rule.out, Var) else set()
    size = -1
    while size < len(found):
        size = len(found)
        for literal in ir.walk(body):
            if isinstance(literal, ir.Compare) and literal.operator == "=":
                names = {side.name for side in (literal.left, literal.right) if isinstance(side, Var)}
                found |= names if names & found else set()
    return found


def _parameters(literal: ir.Algebra) -> tuple[int, ...]:
    if literal.operator is ir.IntervalOperator.ALLEN:
        assert literal.relation is not None and literal.mode is not None
        return list(ir.AllenRelation).index(literal.relation), list(ir.AllenMode).index(literal.mode)
    if literal.operator in ir.METRIC:
        assert literal.distance is not None
        return literal.distance.low, _NO_LIMIT if literal.distance.high is None else literal.distance.high
    if literal.bound is not None:
        return (list(ir.OpenLength).index(literal.open_length),)
    return ()
