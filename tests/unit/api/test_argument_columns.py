"""Arguments of fluents, derived events and metric predicates in columns of their own, named after the rules' variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from holdsfor import HoldsforError, Result, loads, loads_metric
from holdsfor.cli import app
from holdsfor.result_tables import EventResult

RULES = """
initiatedAt(cart(UserId,shop)=Value, T) :- happensAt(adds(UserId,_,Value), T).
terminatedAt(cart(U,Shop)=Value, T) :- happensAt(pays(U,Shop), T), holdsAt(cart(U,Shop)=Value, T).
initiatedAt(price(Start,Item,Item)=true, T) :- happensAt(adds(_,Item,Start), T).
initiatedAt(mixed(X)=true, T) :- happensAt(adds(X,_,_), T).
initiatedAt(mixed(X)=true, T) :- happensAt(adds(_,_,X), T).
initiatedAt(constant(here)=true, T) :- happensAt(adds(_,_,_), T).
initiatedAt(at(pos(X,Y),here)=true, T) :- happensAt(adds(X,Y,_), T).
initiatedAt(sized=true, T) :- happensAt(adds(_,_,_), T).
initiatedAt(sized(Item)=true, T) :- happensAt(adds(_,Item,_), T).
happensAt(paid(UserId,Time), T) :- happensAt(pays(UserId,_), T), Time is T * 2.
"""
EVENTS: dict[str, list[tuple[Any, ...]]] = {
    "adds": [(1, 7, "Red pen", 2.5), (2, 12, "pad", 1)],
    "pays": [(5, 7, "shop")],
}


@pytest.fixture(scope="module")
def result() -> Result:
    return loads(RULES).recognise(EVENTS)


def test_one_fluent_has_its_arguments_beside_the_term(result: Result) -> None:
    table = result["cart"].to_arrow()
    assert table.column_names == ["query_time", "fluent", "value", "start", "end", "user_id", "shop"]
    assert table.to_pylist() == [
        {
            "query_time": 5,
            "fluent": "cart(12,shop)",
            "value": "1",
            "start": 3,
            "end": None,
            "user_id": 12,
            "shop": "shop",
        },
        {"query_time": 5, "fluent": "cart(7,shop)", "value": "2.5", "start": 2, "end": 6, "user_id": 7, "shop": "shop"},
    ]
    assert pa.table(result["cart"]) == table
    assert result["cart"].holds_at(4).to_arrow().num_columns == 7


def test_all_fluents_together_have_the_columns_that_they_had(result: Result) -> None:
    assert result.to_arrow().column_names == ["query_time", "fluent", "value", "start", "end"]


def test_it_joins_with_a_table_of_customers(result: Result) -> None:
    customers = pd.DataFrame({"user_id": [7, 12], "tier": ["gold", "basic"]})
    joined = result["cart"].to_pandas().merge(customers, on="user_id")
    assert joined[["user_id", "tier"]].to_numpy().tolist() == [[12, "basic"], [7, "gold"]]
    frame = result["cart"].to_polars().join(pl.from_pandas(customers), on="user_id")
    assert sorted(frame["tier"].to_list()) == ["basic", "gold"]


@pytest.mark.parametrize(
    ("fluent", "names", "kinds"),
    [
        ("price", ["start_2", "item", "item_2"], [pa.float64(), pa.string(), pa.string()]),
        ("mixed", ["x"], [pa.float64()]),
        ("constant", ["arg1"], [pa.string()]),
        ("at", ["arg1", "arg2"], [pa.string(), pa.string()]),
        ("sized", ["item"], [pa.string()]),
    ],
)
def test_names_and_types(result: Result, fluent: str, names: list[str], kinds: list[pa.DataType]) -> None:
    table = result[fluent].to_arrow()
    assert table.column_names[5:] == names
    assert table.schema.types[5:] == kinds


def test_compound_arguments_are_text_and_absent_ones_null(result: Result) -> None:
    assert result["at"].to_arrow()["arg1"].to_pylist() == ["pos(12,pad)", "pos(7,'Red pen')"]
    assert result["at"].to_arrow(split=True).column_names == ["query_time", "x", "y", "arg3", "value", "start", "end"]
    assert result["sized"].to_arrow()["item"].to_pylist() == [None, "Red pen", "pad"]


def test_without_rows_the_columns_are_there() -> None:
    found = loads(RULES).recognise({"adds": [], "pays": [(1, 1, "x")]}, end=1)
    assert found["cart"].to_arrow().column_names[5:] == ["user_id", "shop"]


def test_one_derived_event(result: Result) -> None:
    assert result.events == ["paid"]
    paid = result["paid"]
    assert isinstance(paid, EventResult)
    assert paid.to_arrow().to_pylist() == [
        {"query_time": 5, "event": "paid(7,10)", "time": 5, "user_id": 7, "time_2": 10}
    ]
    assert (len(paid), [row.event for row in paid]) == (1, ["paid(7,10)"])
    assert paid.to_pandas()["user_id"].tolist() == paid.to_polars()["user_id"].to_list() == [7]
    assert repr(paid).splitlines()[0] == "1 occurrence"
    with pytest.raises(HoldsforError, match="no fluent is called 'payd'; did you mean paid"):
        result["payd"]


def test_sessions_name_them_too() -> None:
    session = loads(RULES).session()
    session.push({"adds": [(1, 7, "pen", 2)]})
    assert session.query()["cart"].to_arrow().column_names[5:] == ["user_id", "shop"]


def test_metric_predicates() -> None:
    rules = "Stop(Vehicle,7) :- Boxminus[0,1] Slow(Vehicle)\nStop(V,End) :- Halt(V,End)\nNamed(Start) :- Halt(Start,_)"
    found = loads_metric(rules).materialise({"Slow": [{"start": 0, "end": 5, "v": "tram"}], "Halt": [(3, "bus", 2.5)]})
    table = found["Stop"].to_arrow()
    assert table.column_names[-2:] == ["vehicle", "end_2"]
    assert table.select(["args", "vehicle", "end_2"]).to_pylist() == [
        {"args": "bus|2.5", "vehicle": "bus", "end_2": 2.5},
        {"args": "tram|7", "vehicle": "tram", "end_2": 7.0},
    ]
    assert found.to_arrow().num_columns == 6
    assert found["Named"].to_polars().columns[-1] == "start_2"
    assert found["Stop"].to_arrow(split=True).column_names[:3] == ["predicate", "vehicle", "end_2"]


# The command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "events.csv").write_text("adds|1|1|7|Red pen|2.5\nadds|2|2|12|pad|1\npays|5|5|7|shop\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["run", "rules.prolog", "--events", "events.csv", "-q", "--columns", *arguments])
    return done.stdout if done.exit_code == 0 else done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_csv_and_json(engine: str) -> None:
    assert _run("--fluent", "cart", "--engine", engine).splitlines() == [
        "query_time,fluent,value,start,end,user_id,shop",
        '5,"cart(12,shop)",1,3,inf,12,shop',
        '5,"cart(7,shop)",2.5,2,6,7,shop',
    ]
    assert _run("--fluent", "sized", "--engine", engine).splitlines()[1:] == [
        "5,sized,true,2,inf,",
        "5,sized('Red pen'),true,2,inf,Red pen",
        "5,sized(pad),true,3,inf,pad",
    ]
    first = _run("--fluent", "cart", "--engine", engine, "--format", "jsonl").splitlines()[0]
    assert first.endswith('"end":null,"user_id":12,"shop":"shop"}')


def test_a_file_for_each_of_several_fluents(folder: Path, result: Result) -> None:
    said = _run("--fluent", "cart", "--fluent", "at", "-o", "found.csv")
    assert said == (
        "error: --columns makes a table for each of at, cart; choose one with --fluent NAME, "
        "or give a folder for a file of each: --output FOLDER\n"
    )
    assert _run("-o", "found", "--format", "parquet", "--derived-events", "paid.jsonl") == ""
    assert sorted(path.name for path in (folder / "found").iterdir()) == [
        *("at.parquet", "cart.parquet", "constant.parquet", "mixed.parquet", "price.parquet", "sized.parquet"),
    ]
    assert pq.read_table(folder / "found/cart.parquet").equals(result["cart"].to_arrow())
    assert (folder / "paid.jsonl").read_text().endswith('"time":5,"user_id":7,"time_2":10}\n')


def test_metric_columns_on_the_command_line(folder: Path) -> None:
    (folder / "stop.dmtl").write_text("Stop(Vehicle) :- Boxminus[0,1] Slow(Vehicle)\nOld(V) :- Slow(V)\n")
    (folder / "facts.txt").write_text("Slow(tram)@[0,5]\n")
    common = ["run", "stop.dmtl", "--events", "facts.txt", "-q", "--columns"]
    assert CliRunner().invoke(app, [*common, "--query", "Stop"]).stdout.splitlines() == [
        "predicate,args,start,start_closed,end,end_closed,vehicle",
        "Stop,tram,1,true,5,true,tram",
    ]
    assert "choose one with --query NAME" in CliRunner().invoke(app, common).stderr
    assert CliRunner().invoke(app, [*common, "-o", "both"]).exit_code == 0
    assert sorted(path.name for path in (folder / "both").iterdir()) == ["Old.csv", "Stop.csv"]
