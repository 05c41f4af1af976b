"""Answers a question about a metric program with an explanation."""

from __future__ import annotations

from fractions import Fraction

from holdsfor.columns.dictionary import Dictionary, Value
from holdsfor.columns.metric.facts import FactSet
from holdsfor.compiler.analysis.mixing import read_atoms
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.demand import Pattern, add_pattern, fitting
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.limits import DEPTH, MOST_DEPTH, MOST_STEPS
from holdsfor.explain.metric_proofs import MetricProver
from holdsfor.explain.metric_refutations import MetricRefuter
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import Deriving, Kind, Node
from holdsfor.explain.questions import MetricQuestion, read_metric_question
from holdsfor.explain.wording import moment_text, ranges_text, times_in
from holdsfor.ir.metric import Aggregate, Atom, Comparison, MetricProgram, MetricRule, atoms
from holdsfor.reference.metric.needs import Signature
from holdsfor.syntax.terms import Const, Var
from holdsfor.times import TimeScale


class MetricAsked:
    """Facts about which questions can be asked, within a start and an end; None is all of time."""

    def __init__(
        self,
        program: MetricProgram,
        facts: FactSet,
        dictionary: Dictionary,
        within: tuple[Fraction | None, Fraction | None] = (None, None),
        notes: tuple[str, ...] = (),
        time_scale: TimeScale | None = None,
    ) -> None:
        self._time_scale = time_scale
        self._program, self.facts, self.dictionary, self._within = program, facts, dictionary, within
        self._notes = notes

    def explain(self, question: str, at: Fraction, *, depth: int | None = DEPTH) -> Explanation:
        """Explains why a fact holds at a time, or why not."""
        read = {atom.signature for rule in self._program.rules for atom in read_atoms(rule)}
        known = read | {rule.head.signature for rule in self._program.rules} | set(self.facts.tables)
        asked = read_metric_question(question, known)
        low, high = self._within
        if (low is not None and at < low) or (high is not None and at > high):
            with times_in(self._time_scale):
                first, last = ("…" if end is None else moment_text(end) for end in self._within)
                raise HoldsforError(f"the run is about the time from {first} to {last}, not about {moment_text(at)}")
        levels = MOST_DEPTH if depth is None else min(depth, MOST_DEPTH)
        with times_in(self._time_scale):
            return self._explained(asked, at, levels)

    def why(self, question: str, at: Fraction, *, depth: int | None = DEPTH) -> Explanation:
        """Explains why a fact holds at a time; raises HoldsforError if it does not."""
        found = self.explain(question, at, depth=depth)
        if not found.holds:
            raise HoldsforError(f"{found.headline}; ask why_not")
        return found

    def why_not(self, question: str, at: Fraction, *, depth: int | None = DEPTH) -> Explanation:
        """Explains why a fact does not hold at a time; raises HoldsforError if it does."""
        found = self.explain(question, at, depth=depth)
        if found.holds:
            raise HoldsforError(f"{found.headline}; ask why")
        return found

    def _explained(self, asked: MetricQuestion, at: Fraction, depth: int) -> Explanation:
        program, facts = narrowed(self._program, self.facts, self.dictionary, asked)
        world = MetricWorld(program, facts, self.dictionary, at, self._within)
        prover, refuter = MetricProver(world), MetricRefuter(world)
        signature = asked.predicate, len(asked.args)
        held = world.times(signature, asked.args)
        if at in held:
            root = prover.proof(signature, asked.args, at, depth)
            assert root is not None
        else:
            text = f"{asked.shown} does not hold at {moment_text(at)}"
            text += f"; it holds on {ranges_text(held.ranges(), at)}" if held else ""
            claim = Deriving(Atom(asked.predicate, asked.args), {}, at)
            below = refuter.refutation(signature, asked.args, at, depth)
            root = Node(Kind.ABSENT, text, holds=False, claim=claim, children=below)
        notes = () if at in held else self._notes
        if prover.is_cut or refuter.is_cut:
            notes += (f"what needs more than {MOST_STEPS} steps is left out: ask about one of the last steps to go on",)
        return Explanation(
            asked.shown, moment_text(at), at in held, root, notes=notes, time_scale=self._time_scale, basis=world
        )


# Selection of input


def narrowed(
    program: MetricProgram, facts: FactSet, dictionary: Dictionary, asked: MetricQuestion
) -> tuple[MetricProgram, FactSet]:
    """The rules and facts that a question needs."""
    wanted: dict[Signature, set[Pattern]] = {}
    signature = asked.predicate, len(asked.args)
    add_pattern(wanted, signature, tuple(arg.value for arg in asked.args))
    waiting = [signature]
    while waiting:
        head = waiting.pop()
        for rule in program.rules:
            if rule.head.signature == head:
                for pattern in list(wanted[head]):
                    for read, narrower in _read(rule, pattern):
                        if add_pattern(wanted, read, narrower):
                            waiting.append(read)
    rules = tuple(rule for rule in program.rules if rule.head.signature in wanted)
    kept = tuple(fact for fact in program.facts if (fact.predicate, len(fact.args)) in wanted)
    tables = {}
    for name, table in facts.tables.items():
        if name in wanted:
            tables[name] = table.take(fitting(table.args, table.rows, wanted[name], dictionary))
    return MetricProgram(rules, kept), FactSet(facts.scale, tables)


def _read(rule: MetricRule, pattern: Pattern) -> list[tuple[Signature, Pattern]]:
    values: dict[str, Value] = {}
    for arg, value in zip(rule.head.args, pattern, strict=True):
        if isinstance(arg, Var) and value is not None:
            values[arg.name] = value
        elif isinstance(arg, Const) and value is not None and arg.value != value:
            return []
    found = []
    for literal in rule.body:
        if isinstance(literal, Comparison):
            continue
        own = {term.name for term in literal.terms} if isinstance(literal, Aggregate) else set()
        for atom in atoms(literal.atom):
            read = tuple(
                arg.value if isinstance(arg, Const) else None if arg.name in own else values.get(arg.name)
                for arg in atom.args
            )
            found.append((atom.signature, read))
    return found
