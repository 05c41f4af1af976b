"""Random terms, within what rule text can say.

Chains of `,` and `;` are flat, an open list has items before its tail, and every `_` is a variable of its own:
here it is called `_#0`, and `programs.numbered` gives it its number.
"""

from __future__ import annotations

from hypothesis import strategies as st

from holdsfor.syntax.durations import duration_term, negated
from holdsfor.syntax.operators import INFIX, PREFIX
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var
from holdsfor.times import DURATION_WORDS

WORDS = "vessel stopped speed near far a b c été ναῦς 船 x1 camelCase with_underscore ªb ǆ".split()
OPERATOR_NAMES = sorted({*INFIX, *PREFIX})
ODD_NAMES = [
    "",
    " ",
    "!",
    "[]",
    "{}",
    "'",
    '"',
    "\\",
    "\n",
    "\t\r",
    "Upper",
    "_",
    "9lives",
    "two words",
    "%",
    "/*",
    "²",
]
VARIABLE_NAMES = "X Y Z T Vessel _Unused _1 __ Ωmega É I1".split()
ANONYMOUS = Var("_#0")

small_names = st.sampled_from(WORDS)
odd_names = st.sampled_from(ODD_NAMES) | st.sampled_from(OPERATOR_NAMES) | st.text(max_size=5)
names = st.one_of(small_names, small_names, odd_names)
"""Names of all kinds: plain, in need of quotes, and operators."""

integers = st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)
floats = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.builds(Const, integers | floats)
atoms = st.builds(Const, names)
constants = atoms | numbers

_parts = st.tuples(
    st.builds("{}{}".format, st.integers(0, 10**12), st.sampled_from(["", ".5", ".250"])),
    st.sampled_from(sorted(DURATION_WORDS)),
)
durations = st.builds(duration_term, st.lists(_parts, min_size=1, max_size=2)) | st.builds(
    lambda part: negated(duration_term([part])), _parts
)
"""Lengths of time, in all units and with all words for them."""

named_variables = st.builds(Var, st.sampled_from(VARIABLE_NAMES))
variables = st.one_of(named_variables, named_variables, st.just(ANONYMOUS))
leaves = st.one_of(variables, constants, constants, durations)


def chain(name: str, args: tuple[Term, ...]) -> Compound:
    """A conjunction or disjunction as the parser builds it: flat, except for a `;` in front of others."""
    flat: list[Term] = []
    for position, arg in enumerate(args):
        opens = name == "," or position == len(args) - 1
        if opens and isinstance(arg, Compound) and arg.name == name:
            flat.extend(arg.args)
        else:
            flat.append(arg)
    return Compound(name, tuple(flat))


def compound(name: str, args: list[Term]) -> Compound:
    """A compound of any name, operators included."""
    return chain(name, tuple(args)) if name in (",", ";") else Compound(name, tuple(args))


def _list(items: list[Term], tail: Term | None) -> ListTerm:
    return ListTerm(tuple(items), tail if items and not isinstance(tail, ListTerm) else None)


def _larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(compound, small_names, st.lists(inner, min_size=1, max_size=3)),
        st.builds(compound, names, st.lists(inner, min_size=1, max_size=3)),
        st.builds(compound, st.sampled_from(sorted(INFIX)), st.lists(inner, min_size=2, max_size=2)),
        st.builds(compound, st.sampled_from(sorted(PREFIX)), st.lists(inner, min_size=1, max_size=1)),
        st.builds(compound, st.sampled_from([",", ";"]), st.lists(inner, min_size=2, max_size=4)),
        st.builds(_list, st.lists(inner, max_size=3), st.none() | inner),
    )


_terms = st.recursive(leaves, _larger, max_leaves=8)
_small_terms = st.one_of(variables, variables, constants, durations, _larger(leaves))


# Composites, because the description of a composite is short; those of the strategies inside run to megabytes.


@st.composite
def terms(draw: st.DrawFn) -> Term:
    """Any term."""
    return draw(_terms)


@st.composite
def small_terms(draw: st.DrawFn) -> Term:
    """A term to put into a literal: most are leaves."""
    return draw(_small_terms)


@st.composite
def callable_terms(draw: st.DrawFn) -> Const | Compound:
    """What can be an event, a fluent, a goal or a head: a name with or without arguments."""
    name = draw(names)
    args = draw(st.lists(_small_terms, max_size=3))
    return compound(name, args) if args else Const(name)
