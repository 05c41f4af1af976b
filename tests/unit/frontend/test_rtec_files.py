"""Files that rule text loads."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.diagnostics import ProgramError
from holdsfor.frontend.rtec import parse_program
from holdsfor.loading import from_sources, read_source

RULE = "initiatedAt(near(V)=true, T) :- happensAt(enters(V, A), T), port(A).\n"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / f"{name}.prolog"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / f"{next(iter(files))}.prolog"


@pytest.mark.parametrize(
    "directive",
    [
        ":- ['facts/ports.prolog'].",
        ":- ['facts/ports'].",
        ":- [facts/ports].",
        ":- consult('./facts/ports.prolog').",
        ":- consult(['facts/ports.prolog']).",
        ":- include('facts/ports.prolog').",
        ":- ensure_loaded('facts/ports.prolog').",
        ":- load_files('facts/ports.prolog', [silent(true)]).",
        ":- use_module('facts/ports.prolog').",
        ":- dynamic(port/1), ['facts/ports.prolog'].",
        ":- [library(lists), 'facts/ports.prolog'].",
    ],
)
def test_a_file_is_loaded_from_the_folder_of_the_file_that_names_it(directive: str, tmp_path: Path) -> None:
    main = write(tmp_path, **{"rules": f"{directive}\n{RULE}", "facts/ports": "port(brest). port(vannes)."})
    found = holdsfor.load(main).recognise({"enters": [(3, "tern", "brest"), (4, "gull", "nowhere")]})
    assert found.to_arrow().to_pylist() == [
        {"query_time": 4, "fluent": "near(tern)", "value": "true", "start": 4, "end": None}
    ]


def test_the_clauses_take_the_place_of_the_directive(tmp_path: Path) -> None:
    main = write(tmp_path, rules="first(1).\n:- [more].\nlast(1).\n", more="middle(1).\n")
    program = parse_program([read_source(main)], read_source)
    assert [rule.head.name for rule in program.background] == ["first", "middle", "last"]  # type: ignore[union-attr]
    assert [Path(rule.span.source.name).name for rule in program.background] == [
        "rules.prolog",
        "more.prolog",
        "rules.prolog",
    ]


def test_files_of_files_are_looked_for_from_their_own_folder(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        **{
            "rules": f":- ['facts/all'].\n{RULE}",
            "facts/all": ":- [ports].\n:- ['../shared/more'].\n",
            "facts/ports": "port(brest).",
            "shared/more": "port(vannes).",
        },
    )
    assert len(holdsfor.load(main).program.background) == 2


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    main = write(tmp_path, rules=f":- [ports].\n:- consult('ports.prolog').\n{RULE}", ports="port(brest).")
    assert len(holdsfor.load(main).program.background) == 1
    assert len(holdsfor.load(main, tmp_path / "ports.prolog").program.background) == 1


def test_files_that_load_each_other_are_a_warning_at_the_line_that_closes_the_circle(tmp_path: Path) -> None:
    main = write(tmp_path, rules=f":- [ports].\n{RULE}", ports="port(brest).\n:- [rules].\n")
    reasoner = holdsfor.load(main)
    (finding,) = reasoner.diagnostics
    assert (finding.code, Path(finding.span.source.name).name, finding.span.line) == ("HF007", "ports.prolog", 2)
    assert len(reasoner.program.effects) == 1


def test_a_missing_file_is_one_error_and_hides_what_follows_from_it(tmp_path: Path) -> None:
    main = write(tmp_path, rules=f"\n:- ['nosuch.prolog'].\n{RULE}")
    with pytest.raises(ProgramError, match=r"HF006.*nosuch\.prolog"):
        holdsfor.load(main)
    assert [finding.code for finding in from_sources([read_source(main)]).diagnostics] == ["HF006"]


def test_what_is_wrong_in_a_loaded_file_is_reported_there(tmp_path: Path) -> None:
    main = write(tmp_path, rules=f":- [ports].\n{RULE}", ports="port(brest).\nport(vannes\n")
    found = from_sources([read_source(main)]).diagnostics
    assert {Path(one.span.source.name).name for one in found} == {"ports.prolog"}


def test_text_without_a_file_loads_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, ports="port(brest).")
    monkeypatch.chdir(tmp_path)
    assert len(holdsfor.loads(f":- [ports].\n{RULE}").program.background) == 1


def test_an_unknown_predicate_is_an_error_only_where_something_may_need_it() -> None:
    rules = f"{RULE}port(A) :- known(A).\nknown(brest).\nspare(X) :- nobody(X)."
    assert [(one.code, one.severity.value) for one in holdsfor.loads(rules).diagnostics] == [("HF101", "warning")]
    with pytest.raises(ProgramError, match="unknown predicate nobody"):
        holdsfor.loads(f"{RULE}port(A) :- known(A).\nknown(A) :- nobody(A).")
