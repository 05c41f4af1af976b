"""Options: what is said of a wrong one; and that the manual names them all."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdsfor.spark.connectors.options import OptionError, Options

MANUAL = Path(__file__).parents[3] / "docs" / "connectors.md"


def options(**given: str) -> Options:
    known = ("count", "word", "names", "flag", "at", "maxOffsetsPerTrigger")
    return Options("format", {name.replace("__", "."): value for name, value in given.items()}, known, prefix="kafka.")


def test_values() -> None:
    found = options(COUNT="3", word=" Big ", names="a, b,,c", Flag="FALSE", kafka__x="1", checkpointLocation="c")
    assert found.whole("count") == 3 and found.whole("at") is None and found.whole("at", 7) == 7
    assert found.choice("word", ("big", "small"), "small") == "big"
    assert found.names("names") == ("a", "b", "c") and found.names("at") == ()
    assert found.flag("flag", default=True) is False and found.flag("at", default=True) is True
    assert found.after("kafka.") == {"x": "1"}
    assert found.required("word") == "Big" and options(word=" ").text("word") is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1714557600000", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01 12:00+02:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ],
)
def test_moments(text: str, moment: datetime) -> None:
    assert options(at=text).moment("at") == moment


def test_complaints_name_the_option() -> None:
    with pytest.raises(
        OptionError, match=r"^format: unknown option 'cuont'; did you mean 'count'\? it takes at, count,"
    ):
        options(cuont="1")
    with pytest.raises(OptionError, match="^format: unknown option 'zzz'; it takes at, "):
        options(zzz="1")
    with pytest.raises(OptionError, match="option 'count' is missing"):
        options().required("count")
    for value in ("0", "-1", "1.5", "many"):
        with pytest.raises(OptionError, match=f"'count' is '{value}', but it must be a whole number, 1 or more"):
            options(count=value).whole("count")
    with pytest.raises(OptionError, match="'flag' is 'yes', but it must be true or false"):
        options(flag="yes").flag("flag", default=True)
    with pytest.raises(OptionError, match="'word' is 'x', but it must be one of big, small"):
        options(word="x").choice("word", ("big", "small"), "big")
    with pytest.raises(OptionError, match="'at' is 'noon', but it must be milliseconds since 1970 or a time such as"):
        options(at="noon").moment("at")
    with pytest.raises(OptionError, match="'at' and 'word' exclude each other"):
        options(at="1", word="2").refuse_together("at", "word", "flag")
    with pytest.raises(OptionError, match="'at' is not accepted here: because"):
        options(at="1").refuse("word", "at", reason="because")


@pytest.mark.parametrize("name", ["nats", "kafka", "postgres"])
def test_the_manual_names_every_option(name: str) -> None:
    pytest.importorskip("pyspark.sql.streaming.datasource", reason="needs PySpark 4.2: pip install 'holdsfor[spark]'")
    from importlib import import_module

    source = import_module(f"holdsfor.spark.connectors.{name}.source")
    known = {*source._READING, *getattr(source, "_WRITING", ()), *getattr(source, "CONNECTION_OPTIONS", ())}
    text = MANUAL.read_text()
    assert [option for option in sorted(known) if f"`{option}`" not in text] == []
    assert f'format("holdsfor-{name}")' in text
