"""Generated streams: the same for the same seed, the same answer from engine and reference, and planted truth is found."""

from __future__ import annotations

import csv
import re
import runpy
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.examples.catalogue import EXAMPLES, invoke

# The options of a small stream, and of the run over it.
SMALL = {
    "abstract_sequence": (
        "--length 5 --activities 400 --ids 10 --disorder 0.3 --rules r.prolog --output s.csv",
        "r.prolog",
    ),
    "credit_card_fraud": ("--cards 20 --frauds 0.4 --output s.csv --truth t.csv", "@rules.prolog"),
    "fleet_management": (
        "--vehicles 4 --reports 200 --output s.csv --thresholds r.prolog",
        "@rules.prolog r.prolog --window 60 --step 40",
    ),
    "human_activity": ("--pairs 4 --encounters 3 --output s.csv", "@stage3.prolog"),
    "immune_response": ("--hosts 4 --steps 60 --infections 4 --output s.csv", "@rules.prolog"),
    "netbill": ("--agents 10 --deals 60 --span 200 --output s.csv", "@rules.prolog"),
    "network_monitoring": ("--nodes 20 --span 20 --output s.csv", "@rules.dmtl"),
    "phage_infection": ("--cells 4 --steps 60 --output s.csv", "@rules.prolog"),
    "voting": ("--agents 6 --motions 2 --rounds 3 --output s.csv --roles r.prolog", "@rules.prolog r.prolog"),
}


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def generate(name: str, options: str, monkeypatch: pytest.MonkeyPatch, script: str = "generate") -> None:
    path = EXAMPLES / name / f"{script}.py"
    monkeypatch.setattr("sys.argv", [str(path), *options.split()])
    runpy.run_path(str(path), run_name="__main__")


def run(name: str, words: str, *more: str) -> list[str]:
    files = [word.replace("@", f"{EXAMPLES / name}/") for word in words.split()]
    result = invoke(["run", *files, "--events", "s.csv", *more])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_every_generator_is_tried() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("*/generate.py")} == {
        *SMALL,
        "abandoned_carts",
        "login_attacks",
        "plant_alarms",
    }


@pytest.mark.parametrize("name", SMALL)
def test_a_small_stream(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options, words = SMALL[name]
    generate(name, f"{options} --seed 3", monkeypatch)
    stream = Path("s.csv").read_bytes()
    found = run(name, words)
    assert len(found) > 5
    assert found == run(name, words, "--engine", "reference")
    generate(name, f"{options} --seed 3", monkeypatch)
    assert Path("s.csv").read_bytes() == stream
    generate(name, f"{options} --seed 4", monkeypatch)
    assert Path("s.csv").read_bytes() != stream


@pytest.mark.parametrize("length", [3, 8])
def test_every_round_that_is_complete_is_a_sequence_wherever_the_brackets_are(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = f"--length {length} --activities 5000 --rules r.prolog --output s.csv"
    generate("abstract_sequence", options, monkeypatch)
    whole, half = f"a1_to_a{length}", length // 2
    other = f"""holdsFor(other(Id)=true, I) :-
        holdsFor({"a1" if half == 1 else f"a1_to_a{half}"}(Id)=true, I1),
        holdsFor(a{half + 1}_to_a{length}(Id)=true, I2),
        seq(I1, I2, I)."""
    Path("other.prolog").write_text(other)
    one = run("abstract_sequence", "r.prolog", "--fluent", whole)
    complete = sum(line.startswith(f"a{length}|") for line in Path("s.csv").read_text().splitlines())
    assert len(one) - 1 == complete > 100
    both = run("abstract_sequence", "r.prolog other.prolog", "--fluent", "other")
    assert [line.replace(whole, "other") for line in one] == both


def test_late_reports_lead_to_the_answer_of_reports_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    options = "--vehicles 5 --reports 1000 --output s.csv --thresholds r.prolog --delay 50"
    generate("fleet_management", options, monkeypatch)
    window = ("--window", "80", "--step", "20", "--start", "0", "--end", "2100")
    late = run("fleet_management", "@rules.prolog r.prolog", *window)
    rows = [line.split("|") for line in Path("s.csv").read_text().splitlines()]
    Path("s.csv").write_text("\n".join("|".join([name, time, time, *args]) for name, _, time, *args in rows) + "\n")
    in_time = run("fleet_management", "@rules.prolog r.prolog", *window)
    last = f"{2100},"
    assert [line for line in late if line.startswith(last)] == [line for line in in_time if line.startswith(last)]
    assert len(late) != len(in_time)


def test_every_planted_fraud_is_found_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    generate("credit_card_fraud", "--cards 400 --output s.csv --truth t.csv", monkeypatch)
    found = set()
    for row in csv.DictReader(
        run("credit_card_fraud", "@rules.prolog", "--fluent", "impossibleJourney", "--fluent", "testedThenUsed")
    ):
        fluent, card = re.match(r"(\w+)\((\w+)", row["fluent"]).groups()
        found.add((card, "copied" if fluent == "impossibleJourney" else "stolen"))
    with Path("t.csv").open() as file:
        assert found == {(row["card"], row["fraud"]) for row in csv.DictReader(file)}


def test_attacks_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    generate("login_attacks", "--hosts 40 --users 60 --attacks 40 --output a.log --truth t.csv", monkeypatch)
    generate("login_attacks", "a.log --events s.csv --rejects rejected.log", monkeypatch, script="parse")
    mapping = str(EXAMPLES / "login_attacks" / "mapping.toml")
    rows = list(
        csv.DictReader(
            run("login_attacks", "@rules.prolog", "--mapping", mapping, "--fluent", "intruder", "--fluent", "owned")
        )
    )
    with Path("t.csv").open() as file:
        truth = [row for row in csv.DictReader(file) if row["found"] == "yes"]
    assert {row["value"] for row in rows if row["fluent"].startswith("intruder")} == {
        f"'{row['address']}'" for row in truth
    }
    assert {row["value"] for row in rows if row["fluent"].startswith("owned")} == {
        f"'{row['address']}'" for row in truth if row["reached"] == "owned"
    }


def test_no_line_of_a_log_is_lost(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    log = EXAMPLES / "login_attacks" / "auth.log"
    generate("login_attacks", f"{log} --events s.csv --rejects rejected.log", monkeypatch, script="parse")
    counts = [int(number) for number in re.findall(r"\d+", capsys.readouterr().out)]
    lines = log.read_text().splitlines()
    assert sum(counts) == len(lines)
    rejected = [line.split(": ", 1) for line in Path("rejected.log").read_text().splitlines()]
    assert len(rejected) == counts[2] > 0
    assert all(lines[int(number) - 1] == text for number, text in rejected)
    assert Path("s.csv").read_text() == (EXAMPLES / "login_attacks" / "events.csv").read_text()


def test_what_users_of_a_shop_do(monkeypatch: pytest.MonkeyPatch) -> None:
    generate("abandoned_carts", "--users 24 --events s.jsonl --customers c.csv --truth t.csv", monkeypatch)
    rows = shop_rows("--derived-events", "d.csv")
    with Path("t.csv").open() as file:
        truth: dict[str, set[str]] = {}
        for row in csv.DictReader(file):
            truth.setdefault(row["behaviour"], set()).add(f"({row['user']})")
    found: dict[str, set[str]] = {}
    for row in rows:
        name, args = re.match(r"(\w+)(.*)", row["fluent"]).groups()
        found.setdefault(f"{name}={row['value']}", set()).add(args)
    assert found["struggling=true"] == truth["failed"]
    assert found["valuable=true"] == truth["spent"]
    assert truth["left"] | truth["returned"] | truth["failed"] <= found["cart=abandoned"]
    assert not found["cart=abandoned"] & (truth["bought"] | truth["looked"])
    with Path("d.csv").open() as file:
        happened = [row["event"] for row in csv.DictReader(file)]
    assert {event.removeprefix("undecided") for event in happened if event.startswith("undecided")} == truth["looked"]
    # Whoever abandons a cart is called or reminded of something, not both.
    called = {event.removeprefix("call") for event in happened if event.startswith("call")}
    reminded = {re.sub(r",.*", ")", event.removeprefix("remind")) for event in happened if event.startswith("remind")}
    assert called | reminded == found["cart=abandoned"]
    assert called and reminded and not called & reminded
    assert rows == shop_rows("--engine", "reference")


def shop_rows(*more: str) -> list[dict[str, str]]:
    folder = EXAMPLES / "abandoned_carts"
    words = ["run", str(folder / "rules.prolog"), "--events", "s.jsonl", "--mapping", str(folder / "mapping.toml")]
    words += ["--background", "customer=c.csv", "--end", "2026-03-29T00:00Z", *more]
    result = invoke(words)
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(result.stdout.splitlines()))


def test_what_happens_in_a_plant(monkeypatch: pytest.MonkeyPatch) -> None:
    generate(
        "plant_alarms",
        "--lines 3 --readings readings.csv --actions actions.jsonl --sensors s.csv --truth t.csv",
        monkeypatch,
    )
    found: dict[tuple[str, str], list[datetime]] = {}
    rows = plant_rows()
    for row in rows:
        name, what = re.match(r"(\w+)\('?([^')]+)", row["fluent"]).groups()
        situation = row["value"] if row["value"] in ("overdue", "silent") else name
        found.setdefault((situation, what), []).append(datetime.fromisoformat(row["start"]))
    with Path("t.csv").open() as file:
        planted = [(row["situation"], row["what"], row["since"]) for row in csv.DictReader(file)]
    assert len(planted) == 18
    for situation, what, since in planted:
        begins = datetime.fromisoformat(since)
        assert any(begins <= start <= begins + timedelta(hours=1) for start in found[situation, what]), (
            situation,
            what,
        )
    assert {what for situation, what in found if situation == "silent"} == {f"FT-{line}01" for line in (1, 2, 3)}
    assert {what for situation, what in found if situation == "chattering"} == {f"PT-{line}01" for line in (1, 2, 3)}


def plant_rows() -> list[dict[str, str]]:
    folder = EXAMPLES / "plant_alarms"
    words = ["run", str(folder / "rules.prolog"), "--events", "readings.csv", "--events", "actions.jsonl"]
    words += ["--mapping", str(folder / "mapping.toml"), "--background", "sensor=s.csv"]
    result = invoke(words)
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(result.stdout.splitlines()))
