"""Fields and numbers of thousands of digits: read, computed with and written, in no time and without a traceback."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor import loads
from holdsfor.cli import app
from holdsfor.io.columns import value_of_text
from holdsfor.syntax.numbers import number_text, read_number

LONG = (10**20_000 - 1) // 9
RULES = (
    "initiatedAt(seen(X)=Y, T) :- happensAt(m(X), T), Y is X + 1.\ninitiatedAt(any(X)=true, T) :- happensAt(m(X), T)."
)


def test_numbers_of_any_length_read_back() -> None:
    for number in (LONG, -LONG, 10**4_299, 10**4_300, 10**4_301, 3**70_000):
        assert read_number(number_text(number)) == number


@pytest.mark.parametrize("text", ["1" * 100_000 + "a", "1." * 50_000, "1" * 50_000 + "e", "." + "1" * 100_000 + "x"])
def test_long_text_that_is_no_number(text: str) -> None:
    began = time.process_time()
    assert value_of_text(text) == text
    assert time.process_time() - began < 2


@pytest.mark.parametrize("style", ["csv", "jsonl", "parquet", "table"])
def test_a_run_over_long_fields(tmp_path: Path, style: str) -> None:
    digits = "1" * 20_000
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "events.csv").write_text(f"m|1|1|{digits}\nm|2|2|{digits}a\n")
    files = [str(tmp_path / "rules.prolog"), "--events", str(tmp_path / "events.csv")]
    done = CliRunner().invoke(app, ["run", *files, "--format", style, "--output", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    if style == "csv":
        text = (tmp_path / "out").read_text()
        assert f"{digits[:-1]}2" in text
        assert f"any('{digits}a')" in text


def test_long_numbers_in_python() -> None:
    found = loads(RULES).recognise({"m": [(1, LONG), (2, 2**70), (3, 0.5)]})
    split = found["seen"].to_arrow(split=True).to_pylist()
    assert {row["value"] for row in split} == {number_text(LONG + 1), number_text(2**70 + 1), "1.5"}


def test_json_lines_keep_integers_that_no_float_can_hold(tmp_path: Path) -> None:
    rows = [{"time": 1, "x": 2**53 + 1}, {"time": 2, "x": 0.5}, {"time": 3, "x": 10**30}, {"time": 4, "x": 1e17}]
    (tmp_path / "m.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    mapping = {"time": "time", "event": {"m": {"args": ["x"]}}}
    found = loads(RULES).recognise(tmp_path / "m.jsonl", mapping=mapping)
    names = {row.fluent for row in found if row.value == "true"}
    assert names == {"any(9007199254740993)", "any(0.5)", f"any({10**30})", "any(1.0e+17)"}
