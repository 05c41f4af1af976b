"""Names in rule files: where they are defined, what is told of them, what renaming does."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.editing.completing import proposals
from holdsfor.editing.hovering import hover_text
from holdsfor.editing.occurrences import NameKind, occurrences
from holdsfor.editing.project import Document, Project
from holdsfor.editing.renaming import renamed
from holdsfor.loading import from_sources, load

EXAMPLES = Path(__file__).parents[3] / "examples"
RULES = """initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), \\+ holdsAt(broken(D)=yes, T), house(D, _).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).

holdsFor(safe(D)=true, I) :- holdsFor(open(D)=true, I1), holdsFor(broken(D)=yes, I2), union_all([I1, I2], I3),
    complement_all([I3], I).
happensAt(unlock(D), T) :- happensAt(start(broken(D)=yes), T).
house(front, 1).
house('the back', 2).
"""
METRIC = "Late(X) :- Diamondminus[0,5] Alarm(X), not Ack(X, Y), Y > 3\nAlarm(pump)@3\n"


def document(text: str = RULES, name: str = "doors.prolog") -> Document:
    return Document(Source(name, text))


def at(text: str, word: str, number: int = 0) -> int:
    place = -1
    for _ in range(number + 1):
        place = text.index(word, place + 1)
    return place


def rewritten(made: Document, offset: int, new: str) -> str:
    name = made.name_at(offset)
    assert name is not None
    text = made.source.text
    for one, put in sorted(renamed(made, name, new).items(), key=lambda item: -item[0].span.start):
        text = text[: one.span.start] + put + text[one.span.end :]
    return text


def test_what_names_are() -> None:
    found = {(one.kind, one.name, one.arity) for one in occurrences(Source("f", RULES), is_metric=False)}
    assert {name for kind, name, _ in found if kind is NameKind.EVENT} == {"unlock", "lock"}
    assert {name for kind, name, _ in found if kind is NameKind.FLUENT} == {"open", "broken", "safe"}
    assert {name for kind, name, _ in found if kind is NameKind.BACKGROUND} == {"house"}


def test_names_are_where_they_stand() -> None:
    for path in sorted(EXAMPLES.glob("*/*.prolog")) + sorted(EXAMPLES.glob("*/*.dmtl")):
        source = Source(path.name, path.read_text("utf-8"))
        for one in occurrences(source, is_metric=path.suffix == ".dmtl"):
            assert one.span.text.strip("'") == one.name


def test_every_event_and_fluent_of_the_examples_is_found() -> None:
    for path in sorted(EXAMPLES.glob("*/rules.prolog")):
        source = Source(path.name, path.read_text("utf-8"))
        found = {(str(one.kind), one.name) for one in occurrences(source, is_metric=False)}
        entities = from_sources([source]).analysis.entities
        assert {(str(one.symbol.kind), one.symbol.name) for one in entities} <= found


@pytest.mark.parametrize(
    ("word", "number", "lines"),
    [
        ("open", 2, [1, 2]),
        ("unlock", 0, [6]),
        ("house", 0, [7, 8]),
        ("lock(D)", 1, []),
        ("broken", 0, []),
        ("D", 1, [1]),
    ],
)
def test_definitions(word: str, number: int, lines: list[int]) -> None:
    made = document()
    name = made.name_at(at(RULES, word, number))
    assert name is not None
    assert [one.span.line for one in made.definitions(name)] == lines


def test_hover_says_what_it_is() -> None:
    made = document()
    text = hover_text(made, made.names[1])
    assert "**open/1**: simple fluent" in text
    assert (
        "stage 1, key: argument 1" in text
        and "keeps without bound, because the rule at" in text
        and "defined in line 1, line 2" in text
    )
    event = made.name_at(at(RULES, "lock(D), T).\n"))
    assert event is not None
    assert "input: no rule defines it" in hover_text(made, event)
    assert hover_text(made, made.names[0]) == "`initiatedAt(Fluent=Value, T) :- …`"


def test_hover_over_rules_with_errors() -> None:
    made = document("initiatedAt(f(X)=true, T) :- happensAt(e, T).")
    assert made.diagnostics
    assert "**f/1**: simple fluent" in hover_text(made, made.names[1])


def test_renaming_keeps_the_program_the_same() -> None:
    made = document()
    text = rewritten(made, at(RULES, "open"), "isOpen")
    assert "open(" not in text and text.count("isOpen(") == 3
    quoted = rewritten(made, at(RULES, "house"), "a house")
    assert quoted.count("'a house'(") == 3
    assert rewritten(made, at(RULES, "D"), "Door").count("Door") == 4
    assert not Document(Source("f", text)).diagnostics


@pytest.mark.parametrize(
    ("word", "new", "message"),
    [
        ("open", "Open", "would be a variable"),
        ("D", "door", "is not a variable"),
        ("open", "safe", "there is a fluent safe already"),
        ("happensAt", "x", "is a word of the language"),
        ("open", " ", "at least one letter"),
    ],
)
def test_names_that_will_not_do(word: str, new: str, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        rewritten(document(), at(RULES, word), new)


def test_metric_rules() -> None:
    made = document(METRIC, "late.dmtl")
    name = made.name_at(at(METRIC, "Alarm"))
    assert name is not None
    assert [one.span.line for one in made.definitions(name)] == [2]
    assert rewritten(made, at(METRIC, "Y"), "Z").count("Z") == 2
    assert "Diamondminus" in {one.text for one in proposals(made, at(METRIC, "iamond"))}


def test_completion_offers_names_of_the_program_and_the_language() -> None:
    text = RULES + "\ninitiatedAt(ope"
    offered = {one.text: one.detail for one in proposals(document(text), len(text))}
    assert offered["open"] == "fluent/1"
    text = RULES + "\nini"
    assert "initiatedAt" in {one.text for one in proposals(document(text), len(text))}


def test_background_files_belong_to_every_program(tmp_path: Path) -> None:
    rules, houses = tmp_path / "doors.prolog", tmp_path / "houses.prolog"
    rules.write_text("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), house(D).")
    houses.write_text("house(front).")
    project = Project(["*.prolog"], tmp_path)
    made = project.put(str(rules), rules.read_text())
    assert not made.diagnostics
    name = made.name_at(at(made.source.text, "house"))
    assert name is not None
    assert [one.span.source.name for one in made.definitions(name)] == [str(houses)]
    project.put(str(houses), "")
    assert [one.code for one in project.document(str(rules)).diagnostics] == ["HF101"]
    assert load(rules, houses)


def test_predicates_of_the_library_and_words_are_not_renamed() -> None:
    text = "initiatedAt(f(X)=true, T) :- happensAt(e(X, L), T), member(X, L).\nholdsFor(g=true, I) :- holdsFor(h=true, J), intDurGreater(J, 3, I).\n"
    made = document(text)
    library, word = made.name_at(at(text, "member")), made.name_at(at(text, "intDur"))
    assert library is not None and word is not None
    assert hover_text(made, library) == "**member/2**: predicate of the library"
    assert hover_text(made, word) == "`intDurGreater(I1, Duration, I)`"
    for name in (library, word):
        with pytest.raises(HoldsforError, match="of the (library|language)"):
            renamed(made, name, "other")
    own = document(text + "member(a, b).\n")
    mine = own.name_at(at(text, "member"))
    assert mine is not None and "defined in line 3" in hover_text(own, mine)
