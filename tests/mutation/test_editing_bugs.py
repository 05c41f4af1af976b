"""Bugs planted in what editors are told: random slips in rule files find each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdsfor.compiler.analysis import names, unbound
from holdsfor.diagnostics import Fix, Span
from holdsfor.editing import colouring, folding, signatures
from holdsfor.syntax import hints, parser_base
from tests.property.test_editing import slips
from tests.property.test_editing import test_a_fix_does_away_with_its_finding as fixes
from tests.property.test_editing import test_every_question_has_an_answer as answers

comma, opened = hints.advice_between, signatures._open_calls


def comma_after_the_word(previous: Any, token: Any) -> hints.Advice:
    found = comma(previous, token)
    return found._replace(start=token.end, end=token.end) if found.replacement == "," else found


def whole_term(span: Span, name: str) -> Fix:
    return Fix(span, name)


def one_letter_short(span: Span, text: str) -> Fix:
    return Fix(Span(span.source, span.start, span.end - 1), text)


def closed_too_often(document: Any, offset: int) -> list[Any]:
    calls = opened(document, offset)
    return [calls[0], calls[1]] if calls else calls


BUGS = [
    ("the comma comes after the next word", parser_base, "advice_between", comma_after_the_word, fixes),
    ("a fix of a name takes its arguments with it", names, "other_name", whole_term, fixes),
    ("a fix of a variable leaves its last letter", unbound, "other_text", one_letter_short, fixes),
    ("a value that is in quotes is coloured twice", colouring, "_by_line", lambda one, _text: [one, one], answers),
    ("comments of one line fold", folding, "_of_comments", lambda _: [folding.Fold(1, 10**6, "x")], answers),
    ("a call is looked for outside of all brackets", signatures, "_open_calls", closed_too_often, answers),
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "wrong", "check"), [bug[1:] for bug in BUGS], ids=[bug[0] for bug in BUGS])
def test_planted_bugs_are_found(
    module: Any, name: str, wrong: Callable[..., Any], check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises((AssertionError, IndexError)):
        tried = given(*([slips(), st.data()] if check is answers else [slips()]))(check.hypothesis.inner_test)
        settings(phases=(Phase.generate,), max_examples=1_000, database=None)(tried)()
