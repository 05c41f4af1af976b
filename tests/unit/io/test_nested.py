"""Paths into nested columns, in whatever they are stored."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor import HoldsforError, loads, loads_metric
from holdsfor.io.formats import parts
from holdsfor.io.nested import path_of, steps_of, value_at, with_paths

RULES = "initiatedAt(bought(U, S)=true, T) :- happensAt(order(U, S), T)."
MAPPING = {
    "time": "meta.at",
    "name": "meta.kind",
    "event": {"order": {"args": ["user.id", "items[0].sku"], "where": {"shop": {"country": "gr"}}}},
}
ORDERS = [
    {
        "meta": {"at": "2026-03-01T12:00:00Z", "kind": "order"},
        "user": {"id": "ann", "age": 30},
        "items": [{"sku": "hat"}, {"sku": "bag"}],
        "shop": {"country": "gr"},
    },
    {
        "meta": {"at": "2026-03-01T12:00:05Z", "kind": "order"},
        "user": {"id": "bob"},
        "items": [{"sku": "mug"}],
        "shop": {"country": "gr"},
    },
    {
        "meta": {"at": "2026-03-01T12:00:06Z", "kind": "order"},
        "user": {"id": "cyd"},
        "items": [],
        "shop": {"country": "gr"},
    },
    {
        "meta": {"at": "2026-03-01T12:00:07Z", "kind": "order"},
        "user": None,
        "items": [{"sku": "pen"}],
        "shop": {"country": "de"},
    },
    {"meta": {"at": "2026-03-01T12:00:08Z", "kind": "visit"}},
]
FOUND = ["bought(ann,hat)", "bought(bob,mug)"]


def write(folder: Path, kind: str) -> Path:
    lines = [json.dumps(order) for order in ORDERS]
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ORDERS), folder / "orders.parquet")
        return folder / "orders.parquet"
    texts = {
        "jsonl": "\n".join(lines),
        # A line of another type makes all of the piece text.
        "mixed.jsonl": "\n".join([*lines, '{"user": "nobody", "meta": 7}', "no JSON"]),
        "json": json.dumps(ORDERS, indent=2),
        "lines.json": "\n".join(lines),
        "pretty.json": "\n".join(json.dumps(order, indent=2) for order in ORDERS),
    }
    path = folder / f"orders.{kind}"
    path.write_text(texts[kind])
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["parquet", "jsonl", "mixed.jsonl", "json", "lines.json", "pretty.json"])
def test_paths_in_a_mapping(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind)
    result = loads(RULES).recognise(path, mapping=MAPPING)
    assert [row["fluent"] for row in result.to_arrow().to_pylist()] == FOUND
    metric = loads_metric("Bought(U, S) :- Diamondminus[0,5] Order(U, S)")
    described = {
        "time": "meta.at",
        "event": {"Order": {"args": ["user.id", "items[0].sku"], "where": {"shop.country": "gr"}}},
    }
    found = metric.materialise(path, mapping=described)
    assert [row["args"] for row in found.to_arrow().to_pylist()] == ["ann|hat", "bob|mug"]


@pytest.mark.filterwarnings("ignore")
def test_a_document_with_its_rows_inside(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"version": 1, "data": {"more": [{"x": 1}], "orders": ORDERS}}, indent=1))
    result = loads(RULES).recognise(path, mapping={**MAPPING, "rows": "data.orders"})
    assert [row["fluent"] for row in result.to_arrow().to_pylist()] == FOUND
    with pytest.raises(HoldsforError, match=r"export\.json has no array 'data\.order'"):
        loads(RULES).recognise(path, mapping={**MAPPING, "rows": "data.order"})


def test_rows_of_a_document_have_the_numbers_of_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[\n  {"t": 1},\n  {\n  "t": null\n  },\n  7\n]\n')
    (part,) = parts(path, ["t"], None, None)
    assert part.lines.tolist() == [2, 3]  # type: ignore[union-attr]
    assert [row["line"] for table in part.refused for row in table.to_pylist()] == [6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"t": 1}', r"x\.json:1:10: not JSON: the document ends too early"),
        ('[{"t": 1},\n {"t" 2}]', r"x\.json:2:7: not JSON: expecting ':' delimiter"),
        ("[" * 100_000, r"x\.json: the document is nested too deeply"),
    ],
)
def test_damaged_documents(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(HoldsforError, match=message):
        list(parts(path, ["t"], None, None))


def test_a_column_that_is_called_like_the_path_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a.b": 1, "a": {"b": 2}}\n')
    (part,) = parts(path, ["a.b", '"a".b'], None, None)
    assert (part.column("a.b").to_pylist(), part.column('"a".b').to_pylist()) == ([1], [2])


def test_members_that_a_schema_does_not_have_are_errors(tmp_path: Path) -> None:
    path = write(tmp_path, "parquet")
    with pytest.raises(HoldsforError, match=r"has no column 'user\.idd'; did you mean user\.id\?"):
        list(parts(path, ["user.idd"], None, None))
    with pytest.raises(HoldsforError, match=r"has no column 'usr\.id'"):
        list(parts(path, ["usr.id"], None, None))


def test_maps_and_lists_of_every_kind(tmp_path: Path) -> None:
    table = pa.table(
        {
            "m": pa.array([[("a", 1), ("b", 2)], [], None], pa.map_(pa.string(), pa.int64())),
            "large": pa.array([[1, 2], [], None], pa.large_list(pa.int64())),
            "fixed": pa.array([[1, 2], [3, 4], None], pa.list_(pa.int64(), 2)),
            "coded": pa.array(
                [{"c": "x"}, {"c": "y"}, None], pa.struct([("c", pa.dictionary(pa.int32(), pa.string()))])
            ),
        }
    )
    found = with_paths(table, ["m.b", "large[1]", "fixed[1]", "coded.c"], "x").to_pydict()
    assert (found["m.b"], found["large[1]"]) == ([2, None, None], [2, None, None])
    assert (found["fixed[1]"], found["coded.c"]) == ([2, 4, None], ["x", "y", None])
    sliced = with_paths(table.slice(1), ["large[0]", "fixed[0]", "coded.c"], "x").to_pydict()
    assert (sliced["large[0]"], sliced["fixed[0]"], sliced["coded.c"]) == ([None, None], [3, None], ["y", None])
    pq.write_table(table.select(["m", "large"]), tmp_path / "x.parquet")
    (part,) = parts(tmp_path / "x.parquet", ["m.a", "large[0]"], None, None)
    assert (part.column("m.a").to_pylist(), part.column("large[0]").to_pylist()) == ([1, None, None],) * 2


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=('{"t": 1}\n',))
    writer.start()
    assert [part.column("t").to_pylist() for part in parts(path, ["t"], None, None)] == [[1]]
    writer.join()


def test_archives(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match=r"x\.csv\.zip is an archive of files; unpack it"):
        parts(tmp_path / "x.csv.zip", ["t"], None, None)


def test_text_of_json_stays_text(tmp_path: Path) -> None:
    """Arrow takes text that looks like a date for a timestamp."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"t": 1, "d": "2026-03-01", "n": {"d": "2026-03-01"}}\n{"t": 2, "d": "2026-03-02"}\n')
    rules = "initiatedAt(p(D)=true, T) :- happensAt(e(D), T)."
    result = loads(rules).recognise(path, mapping={"time": "t", "event": {"e": {"args": ["d"]}}})
    assert [row["fluent"] for row in result.to_arrow().to_pylist()] == ["p('2026-03-01')", "p('2026-03-02')"]


def test_integers_of_any_size_inside_of_objects(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"t": 1, "u": {"id": 12345678901234567891}}\n{"t": 2, "u": {"id": 2}}\n')
    rules = "initiatedAt(p(D)=true, T) :- happensAt(e(D), T)."
    result = loads(rules).recognise(path, mapping={"time": "t", "event": {"e": {"args": ["u.id"]}}})
    found = {row["fluent"] for row in result.to_arrow().to_pylist()}
    assert found == {"p(12345678901234567891)", "p(2)"}


SCALARS = st.none() | st.integers(-9, 9) | st.text("ab", max_size=2)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2)
)
NAMES = st.text('ab."[]\\ é', min_size=1, max_size=4)
STEPS = st.lists(st.sampled_from(["x", "y", 0, 1, 2]), max_size=3)


@given(st.lists(NAMES | st.integers(0, 99), min_size=1, max_size=4).filter(lambda steps: isinstance(steps[0], str)))
def test_paths_as_text(steps: list[Any]) -> None:
    assert steps_of(path_of(steps)) == tuple(steps)


@given(st.lists(VALUES, min_size=1, max_size=4), STEPS)
def test_columns_have_what_the_values_have(values: list[Any], steps: list[Any]) -> None:
    try:
        table = pa.table({"v": pa.array(values)})
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return
    # Arrow gives an object the members of all the others.
    path = path_of(["v", *steps])
    found = with_paths(table, [path], None)[path].to_pylist()
    assert found == [value_at(value, steps) for value in table["v"].to_pylist()]
