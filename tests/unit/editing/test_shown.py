"""Rule files as editors show them: colours by meaning, arguments while they are written, folding."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from holdsfor.diagnostics import Source
from holdsfor.editing.code_actions import title
from holdsfor.editing.colouring import Modifier, WordRole, coloured
from holdsfor.editing.completing import proposals
from holdsfor.editing.folding import FoldKind, folds
from holdsfor.editing.hovering import hover_text
from holdsfor.editing.project import Document
from holdsfor.editing.signatures import signature_help

EXAMPLES = Path(__file__).parents[3] / "examples"
RULES = """% Doors,
% and who opens them.
:- ['houses.prolog'].
:- ['keys.prolog'].

initiatedAt(open(D)=yes, T) :-
    happensAt(unlock(D, Key), T), /* two
    lines */
    \\+ holdsAt(broken(D)='not at all', T),
    house(D, 3).
terminatedAt(open(D)=yes, Time) :- happensAt(lock(D, _), Time).
fi(open(D)=yes, open(D)=no, 10).
house(front, 3).
house(back, 4).
"""


def document(text: str = RULES, name: str = "doors.prolog") -> Document:
    return Document(Source(name, text))


def roles(made: Document) -> dict[str, set[WordRole]]:
    found: dict[str, set[WordRole]] = {}
    for one in coloured(made):
        found.setdefault(made.source.text[one.start : one.end], set()).add(one.role)
    return found


def test_words_have_roles() -> None:
    found = roles(document())
    assert found["initiatedAt"] == found["fi"] == found["happensAt"] == {WordRole.KEYWORD}
    assert found["open"] == found["broken"] == {WordRole.FLUENT}
    assert found["unlock"] == found["lock"] == {WordRole.EVENT}
    assert found["yes"] == found["no"] == found["'not at all'"] == {WordRole.VALUE}
    assert found["house"] == {WordRole.BACKGROUND}
    assert found["D"] == found["T"] == {WordRole.VARIABLE}
    assert found[":-"] == found["\\+"] == {WordRole.OPERATOR}
    assert found["10"] == {WordRole.NUMBER}
    assert found["/* two"] == found["    lines */"] == found["% Doors,"] == {WordRole.COMMENT}
    assert "front" not in found


def test_time_and_definitions_are_marked() -> None:
    made = document()
    marked = [(RULES[one.start : one.end], one.modifiers) for one in coloured(made)]
    assert {word for word, modifiers in marked if Modifier.TIME in modifiers} == {"T", "Time"}
    assert {word for word, modifiers in marked if Modifier.DEFINITION in modifiers} == {"open", "house"}
    assert not {modifiers for word, modifiers in marked if word == "D"} - {()}


def test_clauses_with_errors_are_coloured_by_spelling() -> None:
    found = roles(document("initiatedAt(open(D)=true, T :- happensAt(e(D), T).\nhouse(a)."))
    assert (
        found["initiatedAt"] == {WordRole.KEYWORD}
        and found["D"] == {WordRole.VARIABLE}
        and found["house"] == {WordRole.BACKGROUND}
    )


@pytest.mark.parametrize(
    "path", [*EXAMPLES.glob("*/*.prolog"), *EXAMPLES.glob("*/*.dmtl")], ids=lambda path: str(path.relative_to(EXAMPLES))
)
def test_examples_are_coloured_in_order_and_line_by_line(path: Path) -> None:
    made = document(path.read_text("utf-8"), str(path))
    found = coloured(made)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all("\n" not in made.source.text[one.start : one.end] and one.start < one.end for one in found)
    ranges = folds(made)
    assert all(1 <= one.first < one.last <= made.source.text.count("\n") + 1 for one in ranges)
    assert len({one.first for one in ranges}) == len(ranges)


def test_metric_rules() -> None:
    made = document("Late(X) :- Diamondminus[0,5] Alarm(X), not Ack(X)\n% c\nAlarm(pump)@3\n", "late.dmtl")
    found = roles(made)
    assert found["Late"] == found["Alarm"] == {WordRole.FLUENT} and found["X"] == {WordRole.VARIABLE}
    assert found["Diamondminus"] == found["not"] == {WordRole.KEYWORD}


@pytest.mark.parametrize(
    ("begun", "labels", "active", "parameter"),
    [
        ("initiatedAt(", ["initiatedAt(Fluent=Value, T)"], 0, 0),
        ("initiatedAt(open(X)=yes, ", ["initiatedAt(Fluent=Value, T)"], 0, 1),
        ("initiatedAt(open(", ["open(D)"], 0, 0),
        ("initiatedAt(open(X)=yes, T) :- happensAt(unlock(X, ", ["unlock(D, Key)"], 0, 1),
        ("initiatedAt(open(X)=yes, T) :- house(", ["house(D, 3)"], 0, 0),
        ("holdsFor(a=b, I) :- union_all([I1, ", ["union_all([I1, I2], I)"], 0, 0),
        ("holdsFor(a=b, I) :- union_all([I1, I2], ", ["union_all([I1, I2], I)"], 0, 1),
        ("initiatedAt(open(X)=yes, T) :- happensAt(nobody(X, ", ["happensAt(Event, T)"], 0, 0),
        ("holdsFor(a=b, I) :- intDurGreater(I1, ", ["intDurGreater(I1, Duration, I)"], 0, 1),
        ("holdsFor(a=b, I) :- since(I1, I2, [0, ", ["since(I1, I2, [From, To], I)"], 0, 2),
        ("fi(a=b, a=c, ", ["fi(Fluent=Value, Fluent=OtherValue, Delay)"], 0, 2),
    ],
)
def test_arguments_while_they_are_written(begun: str, labels: list[str], active: int, parameter: int) -> None:
    text = RULES + "\n" + begun
    found = signature_help(document(text), len(text))
    assert found is not None
    assert ([one.label for one in found.signatures], found.active, found.parameter) == (labels, active, parameter)


def test_several_numbers_of_arguments() -> None:
    text = "near(a, b).\nnear(A, B, C) :- near(A, B), near(B, C).\nnear(x, y, "
    found = signature_help(document(text), len(text))
    assert found is not None
    assert [one.label for one in found.signatures] == ["near(A, B)", "near(A, B, C)"]
    assert (found.active, found.parameter) == (1, 2)


def test_no_help_outside_of_calls() -> None:
    assert signature_help(document(), 0) is None
    assert signature_help(document(), RULES.index("    happensAt")) is None
    metric = "Late(X) :- Alarm(X)\nLate("
    found = signature_help(document(metric, "late.dmtl"), len(metric))
    assert found is not None and found.signatures[0].label == "Late(X)"


def test_folding() -> None:
    lines = {(one.first, one.last): one.kind for one in folds(document())}
    assert lines == {
        (1, 2): FoldKind.COMMENT,
        (3, 4): FoldKind.IMPORTS,
        (6, 12): FoldKind.REGION,
        (7, 8): FoldKind.COMMENT,
        (13, 14): FoldKind.REGION,
    }


def test_long_clauses_fold_inside_the_group() -> None:
    text = "a(1).\na(X) :-\n    b(X),\n    c(X).\nb(1).\nc(1).\n"
    assert [(one.first, one.last) for one in folds(document(text))] == [(1, 4), (2, 4)]


SHOP = """fi(cart(U)=active, cart(U)=abandoned, 30 min).
initiatedAt(cart(U)=active, T) :-
    happensAt(add(U), T),
    hour(T, H),
    H < 9.
"""


def test_durations_and_the_calendar() -> None:
    made = document(f":- time_unit(s).\n{SHOP}")
    found = roles(made)
    assert found["30"] == found["min"] == {WordRole.NUMBER}
    assert found["hour"] == {WordRole.BACKGROUND}
    place = made.source.text.index("hour")
    name = made.name_at(place)
    assert name is not None and "hour(T, Hour)" in hover_text(made, name)
    assert "weekday" in [one.text for one in proposals(made, made.source.text.index("H < 9"))]
    helped = signature_help(made, place + len("hour(T, "))
    assert helped is not None and helped.signatures[helped.active].parameters == ("T", "Hour")
    own = document(f"{SHOP}hour(1, 2).")
    name = own.name_at(own.source.text.index("hour"))
    assert name is not None and "background" in hover_text(own, name)


def test_a_missing_unit_has_a_quick_fix() -> None:
    [finding] = [one for one in document(SHOP).reasoner.diagnostics if one.code == "HF116"]
    assert finding.fix is not None and title(finding.fix) == "Insert :- time_unit(s)."
