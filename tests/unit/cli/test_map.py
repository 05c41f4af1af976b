"""`holdsfor map`: a mapping for a file, which runs as it is."""

import bz2
import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from holdsfor.cli import app

RULES = """\
initiatedAt(cart(User)=active, T) :- happensAt(add_to_cart(User, Sku), T).
initiatedAt(cart(User)=paid, T) :- happensAt(payment(User, Amount), T).
terminatedAt(cart(User)=active, T) :- happensAt(logout(User), T).
"""
METRIC = "Recent(U, S) :- Diamondminus[0,5] AddToCart(U, S).\n"
ROWS: list[dict[str, Any]] = [
    {"type": "Add to cart", "ts": "2026-03-01T12:00:00Z", "user": {"id": "ann", "tier": "gold"}, "sku": "hat"},
    {"type": "Add to cart", "ts": "2026-03-01T12:00:05Z", "user": {"id": "bob"}, "sku": "mug"},
    {"type": "Payment", "ts": "2026-03-01T12:03:05Z", "user": {"id": "ann", "tier": "gold"}, "amount": 3.5},
    {"type": "Visit", "ts": "2026-03-01T12:03:06Z", "user": {"id": "ann", "tier": "gold"}, "page": "/"},
]
FLAT = "type,ts,user,sku,amount\nadd_to_cart,1772366400,ann,hat,\nadd_to_cart,1772366405,bob,mug,\npayment,1772366585,ann,,3.5\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "rules.dmtl").write_text(METRIC)
    return tmp_path


def invoke(*words: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(words), input=stdin)


def made(*words: str, stdin: bytes | None = None) -> dict[str, Any]:
    result = invoke("map", *words, stdin=stdin)
    assert result.exit_code == 0, result.output
    return tomllib.loads(result.stdout)


def shapes(folder: Path) -> dict[str, str]:
    """Files with the same rows, and the column that has the user."""
    lines = "\n".join(map(json.dumps, ROWS))
    (folder / "shop.jsonl").write_text(lines)
    (folder / "shop.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "shop.json").write_text(json.dumps(ROWS, indent=2))
    (folder / "inside.json").write_text(json.dumps({"page": 1, "data": {"events": ROWS}}))
    (folder / "export").write_text(lines)
    names = dict.fromkeys(name for row in ROWS for name in row)
    pq.write_table(pa.table({name: [row.get(name) for row in ROWS] for name in names}), folder / "shop.parquet")
    (folder / "shop.csv").write_text(FLAT)
    (folder / "shop.csv.bz2").write_bytes(bz2.compress(FLAT.encode()))
    (folder / "semicolon.csv").write_text(FLAT.replace(",", ";"))
    (folder / "shop.tsv").write_text(FLAT.replace(",", "\t"))
    nested = ("shop.jsonl", "shop.jsonl.gz", "shop.json", "inside.json", "export", "shop.parquet")
    return dict.fromkeys(nested, "user.id") | dict.fromkeys(
        ("shop.csv", "shop.csv.bz2", "semicolon.csv", "shop.tsv"), "user"
    )


def test_a_mapping_of_every_shape_runs_as_it_is(folder: Path) -> None:
    for name, user in shapes(folder).items():
        mapping = made(name, "--rules", "rules.prolog")
        assert mapping["event"]["add_to_cart"]["args"] == [user, "sku"], name
        assert mapping["event"]["payment"]["args"] == [user, "amount"], name
        assert (mapping["time"], mapping["unit"], mapping["name"]) == ("ts", "s", "type"), name
        result = invoke("map", name, "--rules", "rules.prolog", "-o", "m.toml", "--force")
        assert (result.exit_code, result.stdout) == (0, "")
        run = invoke("run", "rules.prolog", "--events", name, "--mapping", "m.toml")
        assert (run.exit_code, run.stdout.count("cart(")) == (0, 3), run.output
        assert "0 malformed" in run.stderr
        assert made(name)["event"].keys() >= {"add_to_cart", "payment"}, name


def test_a_directory(folder: Path) -> None:
    (folder / "days").mkdir()
    (folder / "days" / "1.csv").write_text("time,user\n1,ann\n")
    (folder / "days" / "2.csv").write_text("time,user\n2,bob\n")
    result = invoke("map", "days", "--rules", "rules.prolog", "-o", "m.toml")
    assert "--events days --mapping m.toml" in (folder / "m.toml").read_text(), result.output


def test_metric_rules(folder: Path) -> None:
    for name in shapes(folder):
        invoke("map", name, "--rules", "rules.dmtl", "-o", "m.toml", "--force")
        run = invoke("run", "rules.dmtl", "--events", name, "--mapping", "m.toml")
        assert (run.exit_code, run.stdout.count("Recent")) == (0, 2), run.output


def test_standard_input(folder: Path) -> None:
    shapes(folder)
    for name in ("shop.jsonl", "shop.jsonl.gz", "shop.json", "shop.parquet", "semicolon.csv"):
        stdin = (folder / name).read_bytes()
        mapping = made("-", "--rules", "rules.prolog", stdin=stdin)
        assert mapping["format"] in ("jsonl", "json", "parquet", "csv")
        result = invoke("map", "-", "--rules", "rules.prolog", "-o", "m.toml", "--force", stdin=stdin)
        assert result.exit_code == 0
        run = invoke("run", "rules.prolog", "--events", "-", "--mapping", "m.toml", stdin=stdin)
        assert (run.exit_code, run.stdout.count("cart(")) == (0, 3), run.output


def test_the_text(folder: Path) -> None:
    shapes(folder)
    result = invoke("map", "shop.jsonl", "--rules", "rules.prolog", "-o", "m.toml")
    assert result.stderr == "time is ts (dates such as 2026-03-01T12:00:00Z); add_to_cart, payment from 4 rows\n"
    assert (
        (folder / "m.toml").read_text()
        == """\
# Which columns of shop.jsonl are which event: a guess from 4 rows. Edit it, then:
#   holdsfor run rules.prolog --events shop.jsonl --mapping m.toml

time = "ts"  # dates such as 2026-03-01T12:00:00Z
unit = "s"  # what one time-point is
name = "type"  # what a row is: Add to cart, Payment, Visit

[event.add_to_cart]  # 2 rows
args = ["user.id", "sku"]
where = { type = "Add to cart" }
# empty in some rows, which would be skipped: "user.tier" (1 of 2)

[event.payment]  # 1 row
args = ["user.id", "amount"]
where = { type = "Payment" }
# not used: "user.tier"

# No rule reads Visit
# The rules also read logout/1, of which there are no rows here
"""
    )
    again = invoke("map", "shop.jsonl", "-o", "m.toml")
    assert (again.exit_code, again.stderr) == (
        1,
        "error: m.toml is there already; choose another name, or replace it with --force\n",
    )


TIMES = [
    ("time", "3", {"time": "time"}),
    ("ts", "1772366400", {"time": "ts", "unit": "s"}),
    ("ts", "1772366400123", {"time": "ts", "unit": "ms"}),
    ("created_at", "2026-03-01T12:00:00.5Z", {"time": "created_at", "unit": "ms"}),
    ("day", "2026-03-01", {"time": "day", "unit": "s"}),
    ("when", "2026-03-01 12:00:00.000001", {"time": "when", "unit": "us"}),
]


@pytest.mark.parametrize(("name", "value", "found"), TIMES, ids=[value for _, value, _ in TIMES])
def test_times(folder: Path, name: str, value: str, found: dict[str, str]) -> None:
    (folder / "x.csv").write_text(f"order_id,age,{name},user\n1772366400,4,{value},ann\n")
    mapping = made("x.csv")
    assert {key: mapping[key] for key in ("time", "unit") if key in mapping} == found
    assert mapping["event"]["x"]["args"] == ["order_id", "age", "user"]


def test_the_unit_of_the_rules(folder: Path) -> None:
    (folder / "x.csv").write_text("time,user\n1772366400123,ann\n")
    (folder / "unit.prolog").write_text(":- time_unit(s).\ninitiatedAt(a(U)=true, T) :- happensAt(x(U), T).\n")
    result = invoke("map", "x.csv", "--rules", "unit.prolog")
    assert "unit" not in tomllib.loads(result.stdout)
    assert "look like milliseconds since 1970, but the rules declare time_unit(s)" in result.stderr


def test_one_kind_of_rows_is_what_the_file_or_the_rules_say(folder: Path) -> None:
    (folder / "payments.csv").write_text("time,user,amount\n1,ann,3\n2,bob,4\n")
    assert made("payments.csv")["event"] == {"payments": {"args": ["user", "amount"]}}
    mapping = made("payments.csv", "--rules", "rules.prolog")
    assert mapping["event"] == {"payment": {"args": ["user", "amount"]}}


def test_few_values_tell_kinds_apart(folder: Path) -> None:
    rows = [f"{place},{'in' if place % 2 else 'out'},u{place}" for place in range(20)]
    (folder / "x.csv").write_text("\n".join(["time,direction,user", *rows]))
    assert list(made("x.csv")["event"]) == ["out", "in"]
    assert made("x.csv", "--name", "direction", "--time", "time")["name"] == "direction"


def test_input_fluents_of_the_rules(folder: Path) -> None:
    (folder / "speed.prolog").write_text(
        "holdsFor(slow(V)=true, I) :- holdsFor(speed(V)=low, I1), union_all([I1], I).\n"
    )
    (folder / "speed.csv").write_text("vessel,start,end,level\nv1,1,5,low\nv2,3,,high\n")
    mapping = made("speed.csv", "--rules", "speed.prolog")
    assert mapping["fluent"] == {"speed": {"start": "start", "end": "end", "value": "level", "args": ["vessel"]}}
    invoke("map", "speed.csv", "--rules", "speed.prolog", "-o", "m.toml")
    run = invoke("run", "speed.prolog", "--events", "speed.csv", "--mapping", "m.toml")
    assert "slow(v1)" in run.stdout, run.output


def test_background_facts_need_not_be_there(folder: Path) -> None:
    (folder / "vip.prolog").write_text("initiatedAt(vip(U)=true, T) :- happensAt(order(U), T), tier(U, gold).\n")
    (folder / "x.csv").write_text("time,user\n1,ann\n")
    assert made("x.csv", "--rules", "vip.prolog")["event"] == {"order": {"args": ["user"]}}


SAYS = [
    (b"", "x.csv is empty; a mapping is guessed from rows"),
    (b"a,b\nx,y\n", "no column of x.csv looks like a time; say which with --time: a, b"),
    (
        b"time,b\n1.5,y\n",
        "no column of x.csv looks like a time (time has '1.5': times are whole numbers, or written like 2026-03-01T12:00Z); say which with --time: time, b",
    ),
    (
        b"user,created\nann,01/03/2026 12:00\n",
        (
            "no column of x.csv looks like a time (created has '01/03/2026 12:00': times are whole numbers, or written "
            "like 2026-03-01T12:00Z); say which with --time: user, created"
        ),
    ),
    (b"unlock|1|1|front\n", "x.csv has rows of RTEC's own format, which need no mapping: give it with --events"),
    (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "x.csv is a binary file; a mapping is for CSV, JSON and Parquet"),
    (
        b"3,ann\n4,bob\n",
        "x.csv has no header: its first line is '3,ann'; write a line with the names of the columns before it",
    ),
]


@pytest.mark.parametrize(("contents", "message"), SAYS, ids=[message[:30] for _, message in SAYS])
def test_files_that_get_none(folder: Path, contents: bytes, message: str) -> None:
    (folder / "x.csv").write_bytes(contents)
    result = invoke("map", "x.csv")
    assert (result.exit_code, result.stderr, result.stdout) == (1, f"error: {message}\n", "")


def test_columns_that_are_none(folder: Path) -> None:
    (folder / "x.csv").write_text("time,user\n1,ann\n")
    said = {
        ("--time", "tmie"): "x.csv has no column 'tmie'; it has time, user",
        ("--time", "user"): "user of x.csv has no times, such as 'ann'; times are whole numbers, timestamps, or text "
        "such as 2026-03-01T12:00Z",
        (
            "--name",
            "x",
        ): "x of x.csv cannot distinguish events: it has to be a column of text without gaps, and with up to 500 different values; there are user",
    }
    for options, message in said.items():
        result = invoke("map", "x.csv", *options)
        assert (result.exit_code, result.stderr) == (1, f"error: {message}\n")
    (folder / "many.prolog").write_text("initiatedAt(a=true, T) :- happensAt(e(A, B, C), T), A = B, B = C.\n")
    result = invoke("map", "x.csv", "--rules", "many.prolog")
    assert result.stderr == "error: x.csv has too few columns for what the rules read (e/3): user\n"


def test_kinds_that_no_rule_reads(folder: Path) -> None:
    (folder / "x.csv").write_text("time,type,user\n1,open,ann\n2,shut,ann\n")
    result = invoke("map", "x.csv", "--rules", "rules.prolog")
    assert tomllib.loads(result.stdout)["event"].keys() == {"open", "shut"}
    assert "none of this is what the rules read: add_to_cart/2, payment/2, logout/1" in result.stderr


EXAMPLES = Path(__file__).parents[3] / "examples"
WRITTEN = [
    ("abandoned_carts", "shop.jsonl", ["added", "viewed", "payment_failed"]),
    ("plant_alarms", "actions.jsonl", ["acknowledged"]),
    ("plant_alarms", "readings.csv", ["reading"]),
]


@pytest.mark.parametrize(("example", "file", "names"), WRITTEN, ids=[file for _, file, _ in WRITTEN])
def test_the_guesses_are_what_people_wrote(example: str, file: str, names: list[str]) -> None:
    """Events called otherwise than in the rules, members of objects, a column with a gap."""
    written = tomllib.loads((EXAMPLES / example / "mapping.toml").read_text())
    mapping = made(str(EXAMPLES / example / file), "--rules", str(EXAMPLES / example / "rules.prolog"))
    for name in names:
        by_hand = written["event"][name]
        assert mapping["event"][name]["args"] == by_hand["args"]
        assert mapping["time"] == by_hand.get("time", written.get("time"))
