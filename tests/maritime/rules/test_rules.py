"""The maritime rules: expected intervals of a stream made by hand, in which every fluent holds at least once."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor import Reasoner, load
from holdsfor.cli import app
from holdsfor.compiler.analysis.entities import EntityKind, Role
from holdsfor.spark.job import Span
from holdsfor_maritime.rules import LIMITS, RULES, SITUATIONS, situation_rules
from tests.spark.on_spark import on_spark
from tests.strategies.recorded import RowReader

HERE = Path(__file__).parent
STREAM = HERE / "stream.csv"
FILES = (*RULES, LIMITS, HERE / "background.prolog")
Row = tuple[str, str, float, float]


def expected() -> set[Row]:
    rows = (line.rsplit(",", 3) for line in (HERE / "expected.csv").read_text().splitlines()[1:])
    return {(fluent.partition(",")[2].strip('"'), value, int(s), float(e)) for fluent, value, s, e in rows}


@pytest.fixture(scope="module")
def reasoner() -> Reasoner:
    made = load(*FILES)
    assert isinstance(made, Reasoner)
    return made


def test_nothing_to_complain_about() -> None:
    answer = CliRunner().invoke(app, ["check", *map(str, FILES)])
    assert answer.exit_code == 0
    assert "no findings" in answer.output
    assert CliRunner().invoke(app, ["fmt", "--check", *map(str, RULES), str(LIMITS)]).exit_code == 0


def test_hierarchy(reasoner: Reasoner) -> None:
    """Sixteen simple fluents, five statically determined ones, four levels, and one circle."""
    strata = reasoner.plan.strata
    entities = reasoner.analysis.entities
    simple = entities.with_role(Role.SIMPLE_FLUENT)
    static = entities.with_role(Role.STATIC_FLUENT)
    assert len(simple) >= 16
    assert len(static) >= 5
    assert max(stratum.level for stratum in strata) >= 4
    assert [{symbol.name for symbol in stratum.members} for stratum in strata if len(stratum.members) > 1] == [
        {"haul", "haulSpeed", "haulMovement"}
    ]


def test_every_fluent_is_expected_once(reasoner: Reasoner) -> None:
    fluents = {symbol.name for symbol in reasoner.plan.outputs if symbol.kind is EntityKind.FLUENT}
    assert {row[0].partition("(")[0] for row in expected()} == fluents
    assert {(one.name, one.value) for one in SITUATIONS} <= {(row[0].partition("(")[0], row[1]) for row in expected()}


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_command(engine: str) -> None:
    command = ["run", *map(str, FILES), "--events", str(STREAM), "--engine", engine]
    answer = CliRunner().invoke(app, command)
    assert sorted(answer.stdout.splitlines()) == sorted((HERE / "expected.csv").read_text().splitlines())


def test_windows(reasoner: Reasoner) -> None:
    """The last of several windows sees the whole stream."""
    found = reasoner.recognise(STREAM, window=13_000, step=2_500, start=0, end=12_500)
    rows = {(row.fluent, row.value, row.start, row.end) for row in found if row.query_time == 12_500}
    assert rows == expected()


def test_session(reasoner: Reasoner) -> None:
    session = reasoner.session(start=0)
    session.push(STREAM)
    rows = {(row.fluent, row.value, row.start, row.end) for row in session.query(12_500)}
    assert rows == expected()


@pytest.mark.slow  # tests/maritime/pipeline compares these rules on Spark with the local engine, on generated data
@pytest.mark.filterwarnings("ignore")
def test_spark(spark: Any, reasoner: Reasoner) -> None:
    records = RowReader(reasoner.analysis).read([STREAM]).records
    found = on_spark(spark, reasoner, records, Span(None, None, None, None), 3)
    assert {(row.fluent, row.value, row.start, row.end) for row in found.intervals} == expected()


def test_background_from_tables() -> None:
    """A user's own limits replace those that come along."""
    background = {"vesselType": [(1, "sar")], "areaType": [("harbour", "nearPorts")]}
    made = situation_rules(background, [LIMITS])
    events = {
        "velocity": [(10, 1, 20.0, 0.0, 0), (6_000, 1, 0.0, 0.0, 0)],
        "change_in_heading": [(time, 1) for time in range(100, 5_000, 800)],
    }
    assert [(row.start, row.end) for row in made.recognise(events)["sar"]] == [(101, 5_801)]
    assert {row.value for row in made.recognise(events)["sarMovement"] if math.isinf(row.end)} == {"false"}
