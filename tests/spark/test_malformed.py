"""Rows that cannot be read: a batch on Spark counts those that a local run counts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.spark import materialise, recognise
from holdsfor.spark.connectors import file_events

pytestmark = pytest.mark.filterwarnings("ignore")

NO_TIME, WRONG_TYPE, NO_JSON = '{"kind": "Seen", "who": "a"}', '{"kind": "Seen", "at": "soon", "who": "a"}', "no JSON"
KINDS = (NO_TIME, *(WRONG_TYPE,) * 2, *(NO_JSON,) * 4)
"""So many of each that a sum tells which were counted."""
MAPPING = 'name = "kind"\ntime = "at"\n[event.{}]\nargs = ["who"]\n'
RULES = {
    "rules.prolog": ("seen", "initiatedAt(near(X)=true, T) :- happensAt(seen(X), T).\n"),
    "rules.dmtl": ("Seen", "Near(X) :- Diamondminus[0,5] Seen(X).\n"),
}


@pytest.fixture(params=list(RULES))
def program(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The name of a file of rules, and that of the event it reads."""
    name, rules = RULES[request.param]
    (tmp_path / request.param).write_text(rules)
    (tmp_path / "mapping.toml").write_text(MAPPING.format(name))
    monkeypatch.chdir(tmp_path)
    return request.param, name


def write(name: str, lines: tuple[str, ...], *, good: int = 2) -> None:
    """A file with good lines and some others."""
    rows = [json.dumps({"kind": name, "at": 3 + row, "who": f"w{row}"}) for row in range(good)]
    Path("in.jsonl").write_text("\n".join([*rows, *(line.replace("Seen", name) for line in lines), ""]))


def words(rules: str) -> list[str]:
    """The command that runs over the file."""
    return ["run", rules, "--events", str(Path("in.jsonl").absolute()), "--mapping", "mapping.toml"]


def read_and_malformed(rules: str, *options: str) -> tuple[str, ...]:
    """What `run` says it has read, and what was malformed."""
    result = CliRunner().invoke(app, [*words(rules), *options])
    assert result.exit_code == 0, result.output
    found = re.search(r"(\d+) \w+ read, .*?(\d+) malformed", result.stderr)
    assert found is not None, result.stderr
    return found.groups()


@pytest.mark.usefixtures("one_session")
def test_counts_of_run(program: tuple[str, str]) -> None:
    rules, name = program
    write(name, KINDS)
    assert read_and_malformed(rules) == ("2", "7")
    assert read_and_malformed(rules, "--engine", "spark", "--partitions", "2") == ("2", "7")


@pytest.mark.usefixtures("one_session")
def test_a_file_without_json(program: tuple[str, str]) -> None:
    """A run in which nothing could be read fails; on Spark it reads the file without a schema to go by."""
    rules, name = program
    write(name, (NO_JSON, "{", "3"), good=0)
    result = CliRunner().invoke(app, [*words(rules)])
    assert (result.exit_code, "not JSON" in result.output) == (1, True)
    result = CliRunner().invoke(app, [*words(rules), "--engine", "spark", "--partitions", "2"])
    assert "3 malformed" in result.output or (result.exit_code == 1 and "could be read" in result.output), result.output


def test_counts_of_the_python_calls(program: tuple[str, str], spark: Any) -> None:
    """With the column of our reader, with that of Spark's own, and with a DataFrame of one event only."""
    from pyspark.sql import Observation

    rules, name = program
    write(name, KINDS)
    path = str(Path("in.jsonl").absolute())
    call: Any = recognise if rules.endswith(".prolog") else materialise
    ours = file_events(spark, path, "kind string, at bigint, who string", streaming=False)
    one_event = {name: spark.read.json(path).withColumnRenamed("at", "time").drop("kind")}
    for facts, mapping in ((ours, "mapping.toml"), (spark.read.json(path), "mapping.toml"), (one_event, None)):
        counts = Observation()
        call(rules, facts, mapping=mapping, partitions=2, observation=counts).collect()
        assert (counts.get["read"], counts.get["malformed"]) == (2, 7)
