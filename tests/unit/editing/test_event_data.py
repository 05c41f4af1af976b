"""Warnings about data in an editor: those of `check --events`, from files that are read once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdsfor.diagnostics import Source
from holdsfor.editing import event_data
from holdsfor.editing.event_data import EventData
from holdsfor.editing.project import RuleProgram
from holdsfor.io.data_check import data_names

RULES = "initiatedAt(open(D)=true, T) :- happensAt(unlok(D), T)."


def program(text: str = RULES) -> RuleProgram:
    return RuleProgram((Source("doors.prolog", text),))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    counted: list[object] = []
    read = data_names

    def counting(paths: object, entities: object) -> object:
        counted.append(paths)
        return read(paths, entities)  # type: ignore[arg-type]

    monkeypatch.setattr(event_data, "data_names", counting)
    return counted


def test_off_without_files(reads: list[object]) -> None:
    assert EventData().findings(program()) == []
    assert not reads


def test_input_that_the_data_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("unlock|1|1|front\nlock|2|2|front\n")
    data = EventData(["*.csv"], tmp_path)
    [found] = data.findings(program())
    assert (found.code, found.hint) == ("HF304", "the data has unlock; did you mean that?")
    assert found.fix is not None and (found.fix.span.text, found.fix.replacement) == ("unlok", "unlock")
    assert not data.problem


def test_files_are_read_when_they_change(tmp_path: Path, reads: list[object]) -> None:
    file = tmp_path / "events.csv"
    file.write_text("unlock|1|1|front\n")
    data = EventData(["events.csv"], tmp_path)
    assert data.findings(program()) and data.findings(program())
    assert len(reads) == 1
    file.write_text("unlok|1|1|front\n")
    os.utime(file, ns=(1, 1))
    assert not data.findings(program(), may_read=False)
    assert len(reads) == 2


def test_names_that_are_being_typed_read_nothing(tmp_path: Path, reads: list[object]) -> None:
    (tmp_path / "events.csv").write_text("unlock|1|1|front\nlock|2|2|front|key\n")
    data = EventData(["events.csv"], tmp_path)
    assert data.findings(program())
    assert not data.findings(program(RULES.replace("unlok", "unlock")), may_read=False)
    assert not data.findings(program(RULES.replace("unlok", "lock")), may_read=False)
    assert [one.code for one in data.findings(program(RULES.replace("unlok", "unloc")), may_read=False)] == ["HF304"]
    assert len(reads) == 1
    [found] = data.findings(program(RULES.replace("unlok", "lock")))
    assert "lock takes 1 argument in the rules" in found.hint
    assert len(reads) == 2


def test_a_file_that_is_not_there_is_a_problem_and_no_finding(tmp_path: Path) -> None:
    data = EventData(["nowhere.csv"], tmp_path)
    assert data.findings(program()) == []
    assert data.problem == "holdsfor.events: there is no file nowhere.csv"
    (tmp_path / "nowhere.csv").write_text("unlok|1|1|front\n")
    assert data.findings(program()) == []
    assert not data.problem


def test_metric_programs_have_no_such_findings(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("unlock|1|1|front\n")
    metric = RuleProgram((Source("late.dmtl", "Late(X) :- Alarm(X)"),))
    assert EventData(["events.csv"], tmp_path).findings(metric) == []
