"""Tables of background facts: `--background tier=customers.csv`."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

import holdsfor
from holdsfor import HoldsforError
from holdsfor.cli import app

RULES = "initiatedAt(visit(U)=Level, T) :- happensAt(comes(U), T), tier(U, Level).\n"
EVENTS = "comes|1|1|ann\ncomes|2|2|7\n"
FOUND = ["2,visit(7),2.5,3,inf", "2,visit(ann),gold,2,inf"]
CSV = 'customer,level\nann,gold\n7,2.5\n"Bo, Li",silver\n'
JSON = '{"customer": "ann", "level": "gold"}\n{"customer": 7, "level": 2.5}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "events.csv").write_text(EVENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", "rules.prolog", "--events", "events.csv", *arguments])


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("customers.csv", CSV.encode()),
        ("customers.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("customers.tsv", b"customer\tlevel\nann\tgold\n7\t2.5\n"),
        ("semicolons.csv", b"\xef\xbb\xbfcustomer;level\r\nann;gold\r\n7;2.5\r\n"),
        ("customers.jsonl", JSON.encode()),
    ],
)
def test_tables_by_name(folder: Path, name: str, contents: bytes) -> None:
    (folder / name).write_bytes(contents)
    result = run("--background", f"tier={name}")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (0, FOUND)


def test_parquet(folder: Path) -> None:
    pq.write_table(pa.table({"customer": ["ann", "7"], "level": ["gold", "2.5"]}), folder / "c.parquet")
    # Parquet has types: the text "7" is not the number that the events have.
    assert run("--background", "tier=c.parquet").stdout.splitlines()[1:] == FOUND[1:]


def test_a_file_alone_is_named_after_its_stem(folder: Path) -> None:
    (folder / "tier.csv").write_text(CSV)
    assert run("--background", "tier.csv").stdout.splitlines()[1:] == FOUND
    (folder / "more.prolog").write_text("tier(cy, gold).\n")
    assert run("--background", "tier.csv", "--background", "more.prolog").stdout.splitlines()[1:] == FOUND
    checked = CliRunner().invoke(app, ["check", "rules.prolog", "tier.csv"])
    assert checked.stdout == "4 clauses, no findings\n"
    why = [
        "explain",
        "rules.prolog",
        "visit(ann)=gold",
        "--at",
        "2",
        "--events",
        "events.csv",
        "--background",
        "tier.csv",
    ]
    assert "tier(ann,gold)" in CliRunner().invoke(app, why).stdout


def test_rows_with_gaps_are_shown_and_left_out(folder: Path) -> None:
    (folder / "tier.csv").write_text("customer,level\nann,gold\n7,\nx,y,z\n")
    result = run("--background", "tier.csv")
    assert result.stdout.splitlines()[1:] == FOUND[1:]
    assert "skipped tier.csv:3: level is missing: '7,'\n" in result.stderr
    assert "skipped tier.csv:4: 3 fields where the header has 2: 'x,y,z'\n" in result.stderr


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("tier=none.csv", "cannot read none.csv: No such file or directory"),
        ("tier=rules.prolog", "rules.prolog is not a table; facts of tier come from a CSV, Parquet or JSON-lines file"),
        ("Tier=events.csv", "'Tier' cannot name facts, a predicate begins with a lower-case letter"),
        ("2026-customers.csv", "'2026-customers' cannot name facts"),
    ],
)
def test_mistakes(given: str, says: str) -> None:
    result = run("--background", given)
    assert (result.exit_code, says in result.stderr) == (1, True)


def test_the_number_of_columns_is_the_number_of_arguments(folder: Path) -> None:
    (folder / "tier.csv").write_text("customer,level,since\nann,gold,2020\n")
    assert "tier takes 3 arguments, not 2" in run("--background", "tier.csv").stderr


def test_from_python(folder: Path) -> None:
    (folder / "tier.csv").write_text(CSV)
    for background in ("tier.csv", ["tier=tier.csv"], {"tier": "tier.csv"}, {"tier": folder / "tier.csv"}):
        assert len(holdsfor.load("rules.prolog", background=background).recognise("events.csv").to_arrow()) == 2
    (folder / "gaps.csv").write_text("customer,level\nann,\n")
    with pytest.raises(HoldsforError, match=r"gaps\.csv:2: level is missing"):
        holdsfor.load("rules.prolog", background={"tier": "gaps.csv"})


def test_options_that_would_have_no_effect(folder: Path) -> None:
    (folder / "tier.csv").write_text(CSV)
    for arguments, says in [
        (("-o", "out.xyz"), "out.xyz: no format ends in .xyz; files end in .csv, .jsonl, .parquet, .txt"),
        (("--derived-events", "out.xls"), "out.xls: no format ends in .xls"),
    ]:
        result = run("--background", "tier.csv", *arguments)
        assert (result.exit_code, says in result.stderr, result.stdout) == (1, True, "")
    assert not [path for path in folder.iterdir() if path.name.startswith("out")]
    assert run("--background", "tier.csv", "-o", "out.xyz", "-f", "csv").exit_code == 0
    assert run("--background", "tier.csv", "-o", "/dev/null").exit_code == 0
