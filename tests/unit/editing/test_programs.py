"""Programs of several files: a file and what it loads are one, and open texts go before those on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor.editing.completing import proposals
from holdsfor.editing.occurrences import NameKind
from holdsfor.editing.project import Document, Project
from holdsfor.editing.renaming import renamed

MAIN = """:- ['areas.prolog'].
:- include('more/doors').
initiatedAt(inside(V)=true, T) :- happensAt(enters(V, A), T), area(A, bay).
terminatedAt(inside(V)=true, T) :- happensAt(leaves(V), T).
"""
AREAS = "area(north, bay).\narea(south, port).\n"
DOORS = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), holdsAt(inside(D)=true, T).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    for name, text in (("main.prolog", MAIN), ("areas.prolog", AREAS), ("more/doors.prolog", DOORS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def put(project: Project, path: Path, text: str | None = None) -> Document:
    return project.put(str(path), path.read_text() if text is None else text)


def codes(document: Document) -> list[str]:
    return [one.code for one in document.diagnostics]


def places(document: Document, word: str) -> set[tuple[str, int]]:
    name = document.name_at(document.source.text.index(word))
    assert name is not None
    return {(Path(one.span.source.name).name, one.span.line) for one in document.same_as(name)}


def test_names_are_found_in_loaded_files(folder: Path) -> None:
    main = put(Project(), folder / "main.prolog")
    assert codes(main) == []
    assert places(main, "area(A") == {("main.prolog", 3), ("areas.prolog", 1), ("areas.prolog", 2)}
    assert places(main, "inside") == {("main.prolog", 3), ("main.prolog", 4), ("doors.prolog", 1)}
    assert {path.name for _, path in main.loaded_files} == {"areas.prolog", "doors.prolog"}
    text = MAIN + "\ninitiatedAt(ope"
    assert "open" in {one.text for one in proposals(put(Project(), folder / "main.prolog", text), len(text))}


def test_a_loaded_file_is_part_of_the_open_file_that_loads_it(folder: Path) -> None:
    project = Project()
    alone = put(project, folder / "areas.prolog")
    assert places(alone, "area") == {("areas.prolog", 1), ("areas.prolog", 2)}
    doors = put(project, folder / "more" / "doors.prolog", DOORS.replace("holdsAt", "area(D, bay), holdsAt"))
    assert codes(doors) == ["HF101"]
    put(project, folder / "main.prolog")
    again = project.document(str(folder / "more" / "doors.prolog"))
    assert codes(again) == []
    assert ("main.prolog", 3) in places(again, "inside") and ("areas.prolog", 1) in places(again, "area")
    project.close(str(folder / "main.prolog"))
    assert codes(project.document(str(folder / "more" / "doors.prolog"))) == ["HF101"]


def test_open_texts_go_before_files(folder: Path) -> None:
    project = Project()
    put(project, folder / "main.prolog")
    put(project, folder / "areas.prolog", "zone(north, bay).\n")
    assert codes(project.document(str(folder / "main.prolog"))) == ["HF101"]
    assert (folder / "areas.prolog").read_text() == AREAS
    # A file that was never saved can be loaded too.
    put(project, folder / "main.prolog", MAIN.replace("areas.prolog", "new.prolog"))
    assert "HF006" in codes(project.document(str(folder / "main.prolog")))
    put(project, folder / "new.prolog", AREAS)
    assert codes(project.document(str(folder / "main.prolog"))) == []


def test_findings_are_those_of_the_file(folder: Path) -> None:
    project = Project()
    put(project, folder / "main.prolog")
    put(project, folder / "areas.prolog", "area(north bay).\narea(south, bay).\n")
    assert codes(project.document(str(folder / "main.prolog"))) == []
    assert codes(project.document(str(folder / "areas.prolog"))) == ["HF001"]
    assert {Path(name).name for name in project.files} == {"main.prolog", "areas.prolog", "doors.prolog"}


def test_renaming_reaches_all_files(folder: Path) -> None:
    project = Project()
    put(project, folder / "main.prolog")
    areas = put(project, folder / "areas.prolog")
    name = areas.names[0]
    assert name.kind is NameKind.BACKGROUND
    changes = renamed(areas, name, "zone")
    assert sorted(Path(one.span.source.name).name for one in changes) == ["areas.prolog", "areas.prolog", "main.prolog"]
    main = project.document(str(folder / "main.prolog"))
    fluent = main.name_at(MAIN.index("inside"))
    assert fluent is not None
    with pytest.raises(HoldsforError, match=r"there is a fluent open already, in .*doors.prolog:1"):
        renamed(main, fluent, "open")


def test_a_file_that_two_open_files_load(folder: Path) -> None:
    other = folder / "other.prolog"
    other.write_text(
        ":- ['areas.prolog'].\ninitiatedAt(far(V)=true, T) :- happensAt(enters(V, A), T), area(A, port).\n"
    )
    project = Project()
    put(project, folder / "main.prolog")
    put(project, other)
    areas = put(project, folder / "areas.prolog")
    assert {file for file, _ in places(areas, "area")} == {"main.prolog", "other.prolog", "areas.prolog"}


def test_files_that_load_each_other(tmp_path: Path) -> None:
    one, two = tmp_path / "one.prolog", tmp_path / "two.prolog"
    one.write_text(":- [two].\ninitiatedAt(a=true, T) :- happensAt(e, T), near(x).\n")
    two.write_text(":- [one].\nnear(x).\n")
    project = Project()
    put(project, one)
    put(project, two)
    for path in (one, two):
        assert "HF101" not in codes(project.document(str(path)))
        assert places(project.document(str(path)), "near") == {("one.prolog", 2), ("two.prolog", 2)}


def test_words_of_directives_are_no_names_of_the_program(folder: Path) -> None:
    main = put(Project(), folder / "main.prolog")
    name = main.name_at(MAIN.index("include"))
    assert name is not None and name.kind is NameKind.WORD


def test_loaded_files_are_named_as_the_editor_names_them(folder: Path) -> None:
    """In a folder that is opened by a link, and by paths with dots."""
    link = folder.parent / f"{folder.name}-link"
    link.symlink_to(folder)
    project = Project()
    doors = put(project, link / "more" / "doors.prolog", ":- ['../areas.prolog'].\n" + DOORS)
    assert project.files == [str(link / "more" / "doors.prolog"), str(link / "areas.prolog")]
    assert [path for _, path in doors.loaded_files] == [link / "areas.prolog"]
    put(project, folder / "areas.prolog", "area(one, two).\n")
    assert project.files == [str(link / "more" / "doors.prolog"), str(folder / "areas.prolog")]


def test_what_the_engine_would_refuse_is_found_as_check_finds_it() -> None:
    cases = Path(__file__).parents[2] / "diagnostics" / "cases"
    for path in sorted(cases.glob("HF590-*/rules.prolog")):
        assert set(codes(put(Project(), path))) == {"HF590"}
