"""Shows the instructions of a plan as lines of text.

`r1` is a register, `?r1` a register that is bound here, `l1` an interval list, `now` the present time-point and `_`
anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.ir.sliding import SlidingKind
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.model import PhysicalPlan
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const

_EDGES = {
    code.EdgeKind.START: "start of",
    code.EdgeKind.END: "end of",
    code.EdgeKind.INITIATED: "initiation of",
    code.EdgeKind.TERMINATED: "termination of",
}
_AGGREGATES = [kind.value for kind in SlidingKind]


def register(number: int) -> str:
    """A register."""
    return "now" if number == code.NOW else f"r{number}"


def shape(given: code.Shape | code.Expression) -> str:
    """A term or an expression."""
    match given:
        case code.Constant(value=value):
            return print_term(Const(value))
        case code.Register(number=number, binds=binds):
            return f"?{register(number)}" if binds else register(number)
        case code.Anything():
            return "_"
        case code.Structure(functor=code.LIST, args=args, tail=tail):
            rest = "" if tail is None else f"|{shape(tail)}"
            return f"[{','.join(map(shape, args))}{rest}]"
        case code.Structure(functor=name, args=args) | code.Apply(function=name, args=args):
            return f"{name}({','.join(map(shape, args))})"
        case code.Calendar(field=field, time=time, zone=zone):
            return f"{field}({shape(time)}) in {zone}"


class Lines:
    """Writes the programs of a plan."""

    def __init__(self, plan: PhysicalPlan) -> None:
        self._plan = plan

    def row(self, table: int, columns: Iterable[code.Shape], value: code.Shape | None = None) -> str:
        """An event, or a pair."""
        inside = ",".join(map(shape, columns))
        name, _, arity = self._plan.tables[table].label.rpartition("/")
        closing = arity.lstrip("0123456789")  # of names inside others: per(close_ballot/2)
        found = (f"{name}({inside})" if inside else name) + closing
        return found if value is None else f"{found}={shape(value)}"

    def rule(self, rule: model.Rule) -> Iterator[str]:
        """The program of a rule, with the tests of an arriving row."""
        for at, one in enumerate(rule.program.block):
            first, *inside = self._instruction(one)
            if at in rule.row_tests:
                first += "  on the row and again" if at in rule.row_rest else "  on the row"
            yield from (first, *inside)

    def block(self, block: code.Block) -> Iterator[str]:
        """A block, instruction by instruction."""
        for one in block:
            yield from self._instruction(one)

    def _inside(self, word: str, block: code.Block) -> Iterator[str]:
        yield word
        yield from (f"  {line}" for line in self.block(block))

    def _instruction(self, one: code.Instruction) -> Iterator[str]:
        match one:
            case code.Negate(block=block):
                yield from self._inside("not", block)
            case code.Choose(branches=branches):
                if not branches:
                    yield "never"
                for number, branch in enumerate(branches):
                    yield from self._inside("or" if number else "either", branch)
            case code.Branch(condition=condition, then=then, otherwise=otherwise):
                yield from self._inside("if", condition)
                yield from self._inside("then", then)
                if otherwise is not None:
                    yield from self._inside("else", otherwise)
            case code.Collect(template=template, block=block, result=result, aggregate=aggregate, window=window):
                kind = "list" if aggregate < 0 else _AGGREGATES[aggregate]
                kept = "" if window is None else f", in a window of {shape(window.length)} that slides"
                yield from self._inside(f"{shape(result)} is the {kind} of {shape(template)} for all{kept}", block)
            case _:
                yield self._plain(one)

    def _plain(self, one: code.Instruction) -> str:
        match one:
            case code.Events(table=table, columns=columns, time=time):
                return f"event {self.row(table, columns)} at {_time(time)}"
            case code.Holding(table=table, columns=columns, value=value, time=time):
                return f"holds {self.row(table, columns, value)} at {_time(time)}"
            case code.Edges(table=table, kind=kind, columns=columns, value=value, time=time):
                return f"{_EDGES[kind]} {self.row(table, columns, value)} at {_time(time)}"
            case code.Endable(table=table, columns=columns, value=value):
                return f"can end {self.row(table, columns, value)}"
            case code.Facts(facts=facts, columns=columns):
                name = self._plan.facts[facts].label.rsplit("/", 1)[0]
                return f"fact {name}({','.join(map(shape, columns))})"
            case code.Call(goal=goal, inputs=inputs, outputs=outputs):
                return f"goal {self._plan.goals[goal].label}{_given(inputs, outputs)}"
            case code.ListCall(goal=goal, inputs=inputs, outputs=outputs, list_inputs=lists, list_outputs=made):
                some = _given(inputs, outputs, lists, made)
                return f"goal {self._plan.goals[goal].label}{some}"
            case code.Compare(operator=operator, left=left, right=right):
                return f"test {shape(left)} {operator} {shape(right)}"
            case code.Equal(ground=ground, other=other, negated=negated):
                return f"test {shape(ground)} {'differs from' if negated else '='} {shape(other)}"
            case code.Assign(target=target, expression=expression):
                return f"{shape(target)} is {shape(expression)}"
            case code.Domain(register=number, places=places):
                where = ", ".join(self.row(one.table, one.columns, one.value) for one in places)
                return f"?{register(number)} from the pairs of {where}"
            case code.Lookup(table=table, columns=columns, value=value, out=out):
                return f"l{out} is the list of {self.row(table, columns, value)}"
            case code.Operate(operator=operator, inputs=inputs, out=out, parameters=parameters, bound=bound, rest=rest):
                given = [*(f"l{number}" for number in inputs), *(() if bound is None else (shape(bound),))]
                given += () if rest is None else (f"those of {register(rest)}",)
                return f"l{out} is {operator}({', '.join((*given, *map(str, parameters)))})"
            case code.Empty(register=number, negated=negated, gives=gives):
                return f"l{number} is []" if gives else f"test l{number} {'differs from' if negated else '='} []"
            case code.Copy(source=source, out=out, tests=tests):
                return f"test l{source} = l{out}" if tests else f"l{out} is l{source}"
            case code.Spell(source=source, register=number):
                return f"?{register(number)} is l{source} as a term"
            case code.Read(term=term, out=out):
                return f"l{out} is {shape(term)}"
            case _:
                raise AssertionError(one)


def _time(time: code.Instant) -> str:
    found = f"?{register(time.register)}" if time.binds else register(time.register)
    if time.register == code.NOW or (time.least is None and time.most is None):
        return found
    far = "any time" if time.most is None else str(time.most)
    return f"{found}, {time.least or 0} to {far} before now"


def _given(
    inputs: tuple[int, ...], outputs: tuple[int, ...], lists: tuple[int, ...] = (), made: tuple[int, ...] = ()
) -> str:
    given = [*map(register, inputs), *(f"l{number}" for number in lists)]
    found = [*(f"?{register(number)}" for number in outputs), *(f"?l{number}" for number in made)]
    return f" with {', '.join(given) or 'nothing'}" + (f" gives {', '.join(found)}" if found else "")
