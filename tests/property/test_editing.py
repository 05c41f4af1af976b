"""Rule files with random slips, as an editor sees them while somebody types: answers to everything, fixes that fix."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from hypothesis import event, given
from hypothesis import strategies as st

from holdsfor.diagnostics import Diagnostic, Severity, Source, errors_of
from holdsfor.editing.colouring import coloured
from holdsfor.editing.completing import proposals
from holdsfor.editing.folding import folds
from holdsfor.editing.project import Document
from holdsfor.editing.signatures import signature_help

ROOT = Path(__file__).parents[2]
_EXAMPLES = [*ROOT.glob("examples/*/*.prolog"), *ROOT.glob("examples/*/*.dmtl")]
FILES = [path for path in sorted(_EXAMPLES) if path.stat().st_size < 6_000]
SIGNS = [
    "",
    "(",
    ")",
    "[",
    "'",
    '"',
    "/*",
    "%",
    "\n",
    ".",
    ",",
    ":-",
    "🚪",
    "\r\n",
    "\u2028",
    "#",
    "=",
    "≤",
    "‘a’",
    " and ",
]
_WORD = re.compile(r"\w{3,}")


@st.composite
def slips(draw: st.DrawFn) -> Document:
    """A rule file in which a sign was added or lost, or a word is misspelt."""
    path = draw(st.sampled_from(FILES))
    text = path.read_text("utf-8")
    if draw(st.booleans()):
        start = draw(st.integers(0, len(text)))
        text = text[:start] + draw(st.sampled_from(SIGNS)) + text[start + draw(st.integers(0, 3)) :]
    else:
        word = draw(st.sampled_from(list(_WORD.finditer(text))))
        place = draw(st.integers(word.start(), word.end() - 1))
        char = text[place]
        text = text[:place] + draw(st.sampled_from(["", char * 2, char.swapcase()])) + text[place + 1 :]
    return Document(Source(str(path), text))


@given(slips(), st.data())
def test_every_question_has_an_answer(made: Document, data: st.DataObject) -> None:
    text = made.source.text
    words = coloured(made)
    assert all(one.end <= other.start for one, other in pairwise(words))
    assert all(one.first < one.last <= text.count("\n") + 1 for one in folds(made))
    offset = data.draw(st.integers(0, len(text)))
    signature_help(made, offset)
    proposals(made, offset)
    made.name_at(offset)


@given(slips())
def test_a_fix_does_away_with_its_finding(made: Document) -> None:
    text = made.source.text
    for finding in made.diagnostics:
        if finding.fix is None:
            continue
        event(f"fix of {finding.code}")
        span = finding.fix.span
        assert span.source == made.source and finding.fix.replacement != span.text
        changed = text[: span.start] + finding.fix.replacement + text[span.end :]
        after = Document(Source(made.source.name, changed)).diagnostics
        assert _key(finding) not in map(_key, after), finding.render()
        if finding.severity is Severity.ERROR and finding.code.startswith(("HF1", "HF2")):
            # What syntax errors hide may come to light; another name leaves fewer errors.
            assert len(errors_of(after)) < len(errors_of(made.diagnostics)), finding.render()


def _key(finding: Diagnostic) -> tuple[str, str, int]:
    return finding.code, finding.message, finding.span.start
