"""Input predicates that look like misspelt ones (HF614)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from holdsfor.compiler.analysis.similar import Similar, without_digits
from holdsfor.compiler.metric.checks.uses import body_atoms, defined
from holdsfor.diagnostics import Diagnostic, Fix, Severity, Span
from holdsfor.ir.metric import Atom, MetricProgram

_CUTOFF = 0.85
_SHORT, _LONG = 4, 6
"""Two shorter inputs that differ in one letter may both be intended."""


def check_names(program: MetricProgram) -> Iterator[Diagnostic]:
    """There are no declarations, so a misspelt predicate would be an input that never arrives."""
    known = dict(sorted(defined(program)))
    inputs: dict[str, Atom] = {}
    uses: Counter[str] = Counter()
    for rule in program.rules:
        for atom in body_atoms(rule):
            if atom.predicate not in known:
                inputs.setdefault(atom.predicate, atom)
                uses[atom.predicate] += 1
    among_defined, among_inputs = Similar(known), Similar(inputs)
    for name, atom in inputs.items():
        close = among_defined.to(name, _CUTOFF)
        if close is not None and known[close] == len(atom.args) and _differs(close, name):
            message = f"no rule defines {name}, so it is input"
            yield Diagnostic(
                "HF614", Severity.WARNING, message, atom.span, f"did you mean {close}?", fix=_renamed(atom, close)
            )
            continue
        twin = among_inputs.to(name, 1.0)
        if twin is None or len(inputs[twin].args) != len(atom.args) or not _differs(twin, name):
            continue
        if (len(name) >= _LONG or name.lower() == twin.lower()) and (uses[name], twin) < (uses[twin], name):
            message = f"{name} is similar to {twin}, and both are input"
            yield Diagnostic(
                "HF614", Severity.WARNING, message, atom.span, f"did you mean {twin}?", fix=_renamed(atom, twin)
            )


def _renamed(atom: Atom, name: str) -> Fix:
    start = atom.span.start
    return Fix(Span(atom.span.source, start, start + len(atom.predicate)), name)


def _differs(name: str, other: str) -> bool:
    """Whether a difference may be a typing error. Numbered names and short names differ on purpose."""
    words = without_digits(name), without_digits(other)
    return words[0] != words[1] and min(map(len, words)) >= _SHORT
