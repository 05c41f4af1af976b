"""Sliding aggregates in editors: completion, hover, arguments, and the events that they are about."""

from __future__ import annotations

from holdsfor.diagnostics import Source
from holdsfor.editing.colouring import WordRole, coloured
from holdsfor.editing.completing import proposals
from holdsfor.editing.hovering import hover_text
from holdsfor.editing.lexers import LANGUAGE
from holdsfor.editing.occurrences import NameKind, occurrences
from holdsfor.editing.project import Document
from holdsfor.editing.signatures import signature_help
from holdsfor.ir.sliding import SLIDING_NAMES

RULES = """happensAt(refused(U), T) :- happensAt(login(U, Code), T), Code > 400.
initiatedAt(locked(U)=true, T) :-
    happensAt(refused(U), T),
    count_within(refused(U), 600, T) >= 3,
    \\+ sum_within(A, pays(U, A), 60, T) > count_within(start(locked(U)=true), 60, T),
    top(2, P, bid(U, P), 60, T).
"""


def document(text: str = RULES) -> Document:
    return Document(Source("rules.prolog", text))


def test_all_are_words_of_the_language() -> None:
    assert {*SLIDING_NAMES, "top"} <= set(LANGUAGE)


def test_events_inside_are_events() -> None:
    found = [
        (one.name, one.arity) for one in occurrences(Source("f", RULES), is_metric=False) if one.kind is NameKind.EVENT
    ]
    assert found.count(("refused", 1)) == 3
    assert ("pays", 2) in found
    assert ("bid", 2) in found
    text = document().source.text
    roles = {(text[one.start : one.end], one.role) for one in coloured(document())}
    assert {("count_within", WordRole.KEYWORD), ("top", WordRole.KEYWORD), ("bid", WordRole.EVENT)} <= roles
    assert ("locked", WordRole.FLUENT) in roles


def test_the_definition_of_what_is_counted() -> None:
    made = document()
    counted = next(
        one for one in made.all_names if one.span.start > RULES.index("count_within") and one.name == "refused"
    )
    assert [one.span.line for one in made.definitions(counted)] == [1]


def test_hover_and_arguments() -> None:
    made = document()
    names = {one.name: one for one in made.all_names}
    assert hover_text(made, names["sum_within"]) == "`sum_within(X, Event, Duration, T)`"
    help_ = signature_help(made, RULES.index("pays(U, A), 60") + len("pays(U, A), "))
    assert help_ is not None
    assert help_.signatures[0].label == "sum_within(X, Event, Duration, T)"
    assert help_.parameter == 2


def test_completion() -> None:
    begun = "initiatedAt(f=true, T) :- happensAt(go, T), count_w"
    found = {one.text: one.detail for one in proposals(document(begun), len(begun))}
    assert found["count_within"] == "count_within(Event, Duration, T)"


def test_a_predicate_of_ones_own() -> None:
    text = "initiatedAt(f=true, T) :- happensAt(go, T), top(1, a, b, 2, c).\ntop(1, a, b, 2, c).\n"
    found = {(one.name, one.kind) for one in occurrences(Source("f", text), is_metric=False)}
    assert ("top", NameKind.BACKGROUND) in found
    assert ("b", NameKind.EVENT) not in found
