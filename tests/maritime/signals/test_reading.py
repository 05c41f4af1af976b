"""CSV files, good and bad, and the thresholds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.columns import COLUMNS
from holdsfor_maritime.signals import reading
from holdsfor_maritime.signals.local import critical_events
from holdsfor_maritime.signals.reading import pieces, read_piece, static_types, type_names
from holdsfor_maritime.signals.thresholds import thresholds

HEADER = ",".join(COLUMNS)


def dataset(folder: Path, text: str) -> Path:
    (folder / "nari_dynamic.csv").write_text(text)
    return folder


def read(folder: Path) -> tuple[list[int], list[str]]:
    """The times of good rows, and the text of bad ones."""
    found = [read_piece(piece) for piece in pieces(folder)]
    times = [time for rows, _ in found for time in rows["time"].to_pylist()]
    return times, [text for _, bad in found for text in bad["text"].to_pylist()]


def line(time: int) -> str:
    return f"227000000,0,0,12.5,181.2,511,-4.49,48.38,{time}"


@pytest.mark.parametrize("size", [1, 7, 60, 100, 1_000, 100_000])
@pytest.mark.parametrize("last", ["", "\n"])
def test_every_line_is_in_one_piece(tmp_path: Path, size: int, last: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PIECE", size)
    dataset(tmp_path, "\n".join([HEADER, *map(line, range(20))]) + last)
    assert read(tmp_path) == (list(range(20)), [])


def test_bad_rows_are_kept_as_text(tmp_path: Path) -> None:
    bad = [
        "some,text",
        "x,0,0,1.0,1.0,511,-4,48,3",
        "227000000,0,0,1.0,1.0,511,-4,abc,4",
        "227000000,0,0,1,1,511,,48,5",
    ]
    dataset(tmp_path, "\n".join([HEADER, line(1), *bad, "", line(2)]) + "\n")
    times, texts = read(tmp_path)
    assert times == [1, 2]
    assert sorted(texts) == sorted(bad)


def test_what_may_be_missing(tmp_path: Path) -> None:
    dataset(tmp_path, f"{HEADER}\n227000000,,,,,,-4.49,48.38,-5\n")
    (piece,) = pieces(tmp_path)
    rows, bad = read_piece(piece)
    assert not len(bad)
    assert np.isnan(rows["speed"][0].as_py())
    assert rows["time"].to_pylist() == [-5]


def test_columns_in_another_order(tmp_path: Path) -> None:
    names = [*reversed(COLUMNS), "more"]
    fields = [*reversed(line(9).split(",")), "x"]
    dataset(tmp_path, ",".join(names) + "\n" + ",".join(fields) + "\n")
    assert read(tmp_path) == ([9], [])


def test_many_files(tmp_path: Path) -> None:
    (tmp_path / "nari_dynamic").mkdir()
    for day in range(3):
        (tmp_path / "nari_dynamic" / f"day{day}.csv").write_text(f"{HEADER}\n{line(day)}\n")
    assert read(tmp_path) == ([0, 1, 2], [])


def test_files_that_are_not_there_or_something_else(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="neither nari_dynamic.csv nor"):
        pieces(tmp_path)
    with pytest.raises(HoldsforError, match="has no column courseoverground, lat"):
        pieces(dataset(tmp_path, "mmsi,lon\n"))


@pytest.mark.parametrize("text", ["", HEADER, HEADER + "\n"])
def test_an_empty_file(tmp_path: Path, text: str) -> None:
    found = critical_events(dataset(tmp_path, text))
    assert found.counts()["read"] == 0
    assert not any(len(table) for table in found.frames.values())


def test_counts(tmp_path: Path) -> None:
    reports = [
        line(10),
        line(10),
        line(20).replace("48.38", "49.38"),
        line(30).replace("48.38", "91.0"),
        line(40).replace("12.5", "102.3"),
        line(50).replace("181.2", "360.1"),
        line(60).replace("511", "400"),
        "broken",
    ]
    found = critical_events(dataset(tmp_path, "\n".join([HEADER, *reports])))
    counts = found.counts()
    assert counts["read"] == 8
    assert {name: counts[name] for name in ("duplicate", "impossible jump", "malformed", "out of range")} == {
        "duplicate": 1,
        "impossible jump": 1,
        "malformed": 1,
        "out of range": 3,
    }
    assert len(found.aside) == 6
    # The distance that was made says how fast a vessel is that does not know.
    assert found.frames["velocity"]["speed"].to_pylist() == [12.5, 0.0]


def test_types_of_vessels(tmp_path: Path) -> None:
    rows = ["sourcemmsi,shiptype,t", "1,30,0", "2,79,0", "1,,5", "3,,0", "2,52,9", "x,30,0", "4,5x,1"]
    (tmp_path / "nari_static.csv").write_text("\n".join(rows) + "\n")
    assert static_types(tmp_path).to_pydict() == {"vessel": [1, 2, 3, 4], "type": ["fishing", "tug", "other", "other"]}
    codes = np.array([30, 31, 32, 33, 50, 51, 52, 60, 69, 70, 79, 80, 89, 90, 0, -1])
    said = "fishing tug tug other pilot sar tug passenger passenger cargo cargo tanker tanker other other other"
    assert type_names(codes).to_pylist() == said.split()


def test_thresholds(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[gap]\nseconds = 600\n")
    assert thresholds(path).gap_seconds == 600
    assert thresholds(path).stop_below == thresholds().stop_below
    for text, message in (
        ("[gap]\nsecond = 6", "there is no threshold gap_second"),
        ("[gap]\nseconds = 0", "must be more than 0"),
        ("[gap]\nseconds = 1.5", "must be a whole number"),
        ("[stop]\nbelow = 'x'", "must be a number"),
        ("[stop", "are no TOML"),
    ):
        path.write_text(text)
        with pytest.raises(HoldsforError, match=message):
            thresholds(path)
    with pytest.raises(HoldsforError, match="cannot be read"):
        thresholds(tmp_path / "none.toml")


def test_results_of_an_earlier_run_are_replaced(tmp_path: Path) -> None:
    dataset(tmp_path, f"{HEADER}\n{line(1)}\n{line(2)}\n")
    critical_events(tmp_path, out=tmp_path / "out")
    dataset(tmp_path, f"{HEADER}\n{line(3).replace('227000000', '5')}\n")
    found = critical_events(tmp_path, out=tmp_path / "out").frames["velocity"]
    assert found["time"].to_pylist() == [3]
