"""Mapping files, good and bad."""

from pathlib import Path

import pytest

from holdsfor import HoldsforError, loads
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.io.layouts import Form, Layouts
from holdsfor.io.mapping import make_mapping, read_mapping

TEXT = """
unit = "ms"
name = "kind"
time = "ts"
arrival = "seen"

[event.entersArea]
args = ["vessel", "area"]

[event.velocity]
file = "positions*.parquet"
time = "at"
args = ["vessel", "speed"]
where = { valid = true }

[fluent.proximity]
start = "from"
end = "to"
value = "how"
args = ["a", "b"]

[fluent.coord]
args = ["vessel"]
"""


def test_a_whole_mapping(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(TEXT)
    mapping = read_mapping(path)
    enters, velocity, proximity, coord = mapping.entries
    assert (mapping.unit, mapping.name_column) == ("ms", "kind")
    assert enters.columns == ["ts", "seen", "vessel", "area", "kind"]
    assert (velocity.start, velocity.where) == ("at", {"valid": True, "kind": "velocity"})
    assert (proximity.start, proximity.end, proximity.value, proximity.form) == ("from", "to", "how", Form.INTERVAL)
    assert (coord.kind, coord.form) == (EntityKind.FLUENT, Form.POINT)


def test_files_are_chosen_by_pattern() -> None:
    mapping = make_mapping({"event": {"a": {"file": "a*.csv", "time": "t"}, "b": {"file": "b.csv", "time": "t"}}})
    assert [entry.name for entry in mapping.of_file("data/a1.csv")] == ["a"]
    with pytest.raises(HoldsforError, match=r"no entry of mapping is about c\.csv"):
        mapping.of_file("c.csv")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "maps nothing"),
        ({"event": {"e": {}}}, r"event\.e does not say which column has its time: write `time`"),
        ({"fluent": {"f": {}}}, r"fluent\.f does not say .* write `start` and `end`, or `time`"),
        ({"fluent": {"f": {"start": "s"}}}, "has a start and no end"),
        ({"event": {"e": {"tiem": "t"}}}, "has a key 'tiem' that means nothing; did you mean time"),
        ({"zzz": 1}, "it may have unit, format"),
        ({"unit": "weeks", "event": {}}, "unit must be one of s, ms, us, ns, min, h, d, not 'weeks'"),
        ({"format": "xml", "event": {}}, "format must be one of csv, jsonl, json, parquet"),
        ({"event": {"e": {"time": 5}}}, "time must be text, not 5"),
        ({"event": {"e": {"time": "t", "args": "x"}}}, "args must be a list of column names"),
        ({"event": {"e": 5}}, r"event\.e must be a table"),
        ({"event": 5}, "event must be a table"),
    ],
)
def test_mistakes_are_explained(data: dict[str, object], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        make_mapping(data)


def test_files_that_are_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    with pytest.raises(HoldsforError, match="cannot read .*m.toml: No such file"):
        read_mapping(path)
    path.write_text("a = = 1")
    with pytest.raises(HoldsforError, match="is not a TOML file"):
        read_mapping(path)


def test_entries_must_fit_the_rules() -> None:
    rules = "initiatedAt(a(X)=true, T) :- happensAt(e(X), T), holdsAt(f(X)=true, T)."
    layouts = Layouts(loads(rules).analysis.entities)
    wrong = make_mapping(
        {"time": "t", "event": {"e": {"args": ["x", "y"]}, "f": {"args": ["x"]}}, "fluent": {"e": {"args": ["x"]}}}
    )
    for entry, message in zip(
        wrong.entries,
        (
            r"event\.e: e takes 1 argument in the rules; here it has 2 \(x, y\)",
            r"event\.f: in the rules f is an input fluent",
            r"fluent\.e: in the rules e is an event",
        ),
        strict=True,
    ):
        with pytest.raises(HoldsforError, match=message):
            entry.layout(layouts)
    unknown = make_mapping({"time": "t", "event": {"zz": {}}}).entries[0]
    assert unknown.layout(layouts) is None
