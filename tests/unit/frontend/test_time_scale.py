"""Directives that say what time-points are, in rules and metric rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.diagnostics import ProgramError, Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.frontend.dmtl.formatter import format_metric
from holdsfor.frontend.dmtl.unparse import metric_text
from holdsfor.frontend.rtec import parse_program, print_program
from holdsfor.frontend.rtec.formatter import format_source
from holdsfor.loading import from_sources
from holdsfor.metric import loads_metric
from holdsfor.times import UNIT_WORDS, TimeScale

RULES = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\n"
METRIC = "Recent(X) :- Diamondminus[0,5] Alarm(X)\n"
ATHENS = ":- time_unit(s).\n:- time_zone('Europe/Athens').\n"


@pytest.mark.parametrize(("word", "unit"), UNIT_WORDS.items())
def test_every_word_for_a_unit(word: str, unit: str) -> None:
    quoted = word if word.isascii() else f"'{word}'"
    assert holdsfor.loads(f":- time_unit({quoted}).\n{RULES}").time_scale == TimeScale(unit)
    assert loads_metric(f":- time_unit({quoted}).\n{METRIC}").time_scale == TimeScale(unit)


def test_unit_and_zone() -> None:
    assert holdsfor.loads(ATHENS + RULES).time_scale == TimeScale("s", "Europe/Athens")
    assert loads_metric(ATHENS + METRIC).time_scale == TimeScale("s", "Europe/Athens")
    assert holdsfor.loads(":- time_unit(s), time_zone('Europe/Athens').\n" + RULES).time_scale == TimeScale(
        "s", "Europe/Athens"
    )


def test_without_a_unit_there_is_none() -> None:
    assert holdsfor.loads(RULES).time_scale is None
    assert loads_metric(METRIC).time_scale is None


def test_directives_of_loaded_files_count(tmp_path: Path) -> None:
    (tmp_path / "time.prolog").write_text(ATHENS)
    (tmp_path / "rules.prolog").write_text(f":- include('time.prolog').\n:- time_unit(seconds).\n{RULES}")
    assert holdsfor.load(tmp_path / "rules.prolog").time_scale == TimeScale("s", "Europe/Athens")


def test_directives_of_background_files_and_metric_rules_count(tmp_path: Path) -> None:
    (tmp_path / "facts.prolog").write_text(":- time_unit(ms).\narea(bay).\n")
    (tmp_path / "near.dmtl").write_text(":- time_zone('Europe/Athens').\nrecent(X) :- Diamondminus[0,5] unlock(X)\n")
    (tmp_path / "rules.prolog").write_text(RULES)
    found = holdsfor.load(tmp_path / "rules.prolog", tmp_path / "near.dmtl", background=tmp_path / "facts.prolog")
    assert found.time_scale == TimeScale("ms", "Europe/Athens")


def test_two_units_name_both_places(tmp_path: Path) -> None:
    (tmp_path / "time.prolog").write_text(":- time_unit(ms).\n")
    (tmp_path / "rules.prolog").write_text(f":- time_unit(s).\n:- include('time.prolog').\n{RULES}")
    with pytest.raises(ProgramError) as caught:
        holdsfor.load(tmp_path / "rules.prolog")
    assert "time_unit is ms here and s elsewhere" in str(caught.value)
    assert f"{tmp_path / 'time.prolog'}:1:4" in str(caught.value)
    assert f"{tmp_path / 'rules.prolog'}:1:4" in str(caught.value)


def test_text_keeps_directives() -> None:
    program = parse_program([Source("f", ATHENS + RULES)])
    assert parse_program([Source("f", print_program(program))]) == program
    metric = parse_metric([Source("f", ATHENS + METRIC)])
    assert parse_metric([Source("f", metric_text(metric))]) == metric
    assert metric.time_scale == TimeScale("s", "Europe/Athens")


def test_fmt_keeps_directives() -> None:
    untidy = "% when\n:-time_unit( seconds ) .\n:-  time_zone( 'Europe/Athens').   % where\n\n"
    tidy = "% when\n:- time_unit(seconds).\n:- time_zone('Europe/Athens').  % where\n\n"
    rules = "initiatedAt(on=true, T) :-\n    happensAt(press, T).\n"
    assert format_source(Source("f", untidy + rules)) == tidy + rules
    assert format_metric(Source("f", untidy + METRIC)) == tidy + METRIC
    assert format_metric(Source("f", tidy + METRIC)) == tidy + METRIC


def test_a_fact_that_a_rule_reads_is_no_directive() -> None:
    text = "time_unit(s).\ninitiatedAt(on(U)=true, T) :- happensAt(press, T), time_unit(U).\n"
    assert from_sources([Source("f", text)]).diagnostics == ()
    assert holdsfor.loads(text).time_scale is None


def test_a_unit_beside_the_rules_must_agree() -> None:
    reasoner = holdsfor.loads(ATHENS + RULES)
    assert reasoner.recognise({"unlock": [(3, "a")]}, unit="seconds").time_scale == reasoner.time_scale
    with pytest.raises(holdsfor.HoldsforError, match=r"unit is 'ms', but the rules declare time_unit\(s\)"):
        reasoner.recognise({"unlock": [(3, "a")]}, unit="ms")
    with pytest.raises(holdsfor.HoldsforError, match=r"unit is 'ms', but the rules declare time_unit\(s\)"):
        reasoner.session(unit="ms")


def test_a_mapping_must_agree(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("at,door\n3,a\n")
    mapping = {"unit": "ms", "time": "at", "event": {"unlock": {"args": ["door"]}}}
    with pytest.raises(holdsfor.HoldsforError, match=r"the rules declare time_unit\(s\), but mapping says 'ms'"):
        holdsfor.loads(ATHENS + RULES).recognise(tmp_path / "events.csv", mapping=mapping)
    found = holdsfor.loads(":- time_unit(ms).\n" + RULES).recognise(tmp_path / "events.csv", mapping=mapping)
    assert found.time_scale == TimeScale("ms")


def test_metric_directives_stand_anywhere() -> None:
    both = ":- time_unit(s), time_zone('Europe/Athens')"
    for text in (f"{both}.\n{METRIC}", f"{both}\n{METRIC}", f"{METRIC}{both}", f"Alarm(a)@3\n{both}\n{METRIC}"):
        assert loads_metric(text).time_scale == TimeScale("s", "Europe/Athens")
    assert loads_metric(f"{METRIC}:- time_unit(s)\n:- time_zone('Europe/Athens')\n{METRIC}").time_scale is not None
    assert format_metric(Source("f", f"{both}\n{METRIC}")) == f"{both}.\n{METRIC}"
