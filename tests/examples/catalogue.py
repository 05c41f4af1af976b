"""The runs of the examples: which rules over which stream give which intervals."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from click.testing import Result
from typer.testing import CliRunner

from holdsfor.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
# A pipeline of several stages has tests of its own.
FOLDERS = {path for path in EXAMPLES.iterdir() if path.is_dir() and "pipeline" not in path.name}


class When(Enum):
    """In which test run an engine is tried."""

    ALWAYS = "always"
    SLOW = "slow"
    NEVER = "never"


@dataclass(frozen=True)
class Example:
    """One run. `expected` is what `holdsfor run --format csv` prints, packed or not."""

    folder: str
    rules: tuple[str, ...] = ("rules.prolog",)
    events: tuple[str, ...] = ("events.csv",)
    expected: str = "expected.csv"
    options: tuple[str, ...] = ()
    mapping: str | None = None
    background: tuple[str, ...] = ()
    """Tables of facts: `customer=customers.csv`."""
    reference: When = When.ALWAYS
    spark: When = When.ALWAYS

    @property
    def name(self) -> str:
        """What a test calls it."""
        return f"{self.folder}-{self.expected.partition('.')[0]}"

    def path(self, file: str) -> Path:
        """A file of its folder."""
        return EXAMPLES / self.folder / file

    @property
    def command(self) -> list[str]:
        """The words of the command line."""
        words = ["run", *(str(self.path(file)) for file in self.rules)]
        for file in self.events:
            words += ["--events", str(self.path(file))]
        if self.mapping is not None:
            words += ["--mapping", str(self.path(self.mapping))]
        for table in self.background:
            name, _, file = table.partition("=")
            words += ["--background", f"{name}={self.path(file)}"]
        return [*words, *self.options, "--format", "csv"]

    def run(self, *more: str) -> list[str]:
        """The lines that a run prints."""
        result = invoke([*self.command, *more])
        assert result.exit_code == 0, result.output
        return result.stdout.splitlines()

    def wanted(self) -> list[str]:
        """The lines that it should print."""
        data = self.path(self.expected).read_bytes()
        return (gzip.decompress(data) if self.expected.endswith(".gz") else data).decode().splitlines()


def invoke(words: list[str]) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, words, catch_exceptions=False)


def variants(folder: str, *rules: str) -> list[Example]:
    """Further programs over the stream of an example; Spark has its main one every time."""
    return [Example(folder, (f"{name}.prolog",), expected=f"expected_{name}.csv", spark=When.SLOW) for name in rules]


CAVIAR = ("appearance.csv.gz", "movementB.csv.gz")
SITUATIONS = tuple(f"--fluent={name}" for name in ("leaving_object", "moving", "meeting", "fighting"))
SENSORS = (
    "abrupt_acceleration",
    "abrupt_deceleration",
    "internal_temperature_change",
    "noise_level_change",
    "passenger_density_change",
    "sharp_turn",
    "stop_enter_leave",
)
BUSES = tuple(f"{name}.csv.gz" for name in SENSORS)

CATALOGUE: list[Example] = [
    Example(
        "abandoned_carts",
        events=("shop.jsonl",),
        mapping="mapping.toml",
        background=("customer=customers.csv",),
        options=("--end", "2026-03-28T00:00+02:00"),
    ),
    Example("abstract_sequence"),
    *variants("abstract_sequence", "before"),
    Example("argumentation_game"),
    Example("city_transport", events=("sample.csv",)),
    Example(
        "city_transport",
        events=BUSES,
        expected="expected_whole.csv.gz",
        options=("--fluent", "quality", "--fluent", "complaint"),
        reference=When.NEVER,
        spark=When.SLOW,
    ),
    Example("credit_card_fraud"),
    Example("delayed_effects"),
    Example("fishing_trip"),
    *variants("fishing_trip", "staged"),
    Example("fleet_management"),
    Example(
        "fleet_management",
        events=("late.csv",),
        expected="expected_late.csv",
        options=("--window", "40", "--step", "10", "--start", "0", "--end", "40"),
    ),
    *variants("human_activity", "stage1", "stage2"),
    Example("human_activity", ("stage3.prolog",), expected="expected_stage3.csv"),
    Example("immune_response"),
    Example("interval_algebra"),
    Example("intrusion_tactics"),
    Example("late_arrivals"),
    Example("login_attacks", mapping="mapping.toml"),
    Example("maritime_hierarchy"),
    Example("maritime_trawling"),
    Example("maritime_trawling_cyclic"),
    Example("mixed_languages", ("rules.prolog", "rules.dmtl")),
    Example("netbill"),
    *variants("netbill", "quotes", "expiring_quotes", "prolonged_quotes"),
    Example("network_monitoring", ("rules.dmtl",), ("facts.txt",)),
    Example("phage_infection"),
    Example(
        "plant_alarms",
        events=("readings.csv", "actions.jsonl"),
        mapping="mapping.toml",
        background=("sensor=sensors.csv",),
    ),
    Example("short_stop", ("rules.dmtl",), ("facts.txt",), options=("--query", "ShortStop")),
    Example(
        "short_stop",
        ("traffic_jam.dmtl",),
        ("S1.txt.gz",),
        "expected_S1.csv.gz",
        options=("--query", "ShortStop"),
        reference=When.SLOW,
    ),
    Example(
        "short_stop",
        ("traffic_jam.dmtl",),
        ("S2.txt.gz",),
        "expected_S2.csv.gz",
        options=("--query", "ShortStop"),
        reference=When.NEVER,
        spark=When.SLOW,
    ),
    Example("spark_submit", mapping="mapping.toml"),
    Example("transport_punctuality"),
    Example(
        "video_surveillance", events=("fight.csv",), expected="expected_fight.csv", options=SITUATIONS, spark=When.SLOW
    ),
    Example("video_surveillance", events=CAVIAR, options=SITUATIONS, reference=When.NEVER, spark=When.SLOW),
    Example("voting"),
    Example(
        "voting",
        ("rules.prolog", "assembly.prolog"),
        ("published.csv.gz",),
        "expected_published.csv",
        options=("--fluent", "status", "--fluent", "sanctioned"),
        reference=When.NEVER,
        spark=When.SLOW,
    ),
]
