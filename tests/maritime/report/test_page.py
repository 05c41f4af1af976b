"""The page and the text of a report."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

pytest.importorskip("shapely", reason="needs shapely: pip install 'holdsfor[maritime]'")

from holdsfor_maritime.report.findings import Findings, load_findings
from holdsfor_maritime.report.page import page
from holdsfor_maritime.report.rows import ROWS
from holdsfor_maritime.report.terminal import print_summary
from holdsfor_maritime.report.words import duration, why


@pytest.fixture
def findings(tmp_path: Path) -> Findings:
    """A small run, written down by hand."""
    out = tmp_path / "results"
    (out / "intervals").mkdir(parents=True)
    (out / "signals" / "tracks").mkdir(parents=True)
    rows = [
        ("a", "trawling", "true", 11, None, None, 1_000, 3_000),
        ("b", "rendezVous", "true", 12, 13, None, 2_000, 2_600),
        ("c", "gap", "farFromPorts", 12, None, None, 4_000, None),
        ("d", "gap", "nearPorts", 13, None, None, 4_000, None),
        ("e", "anchoredOrMoored", "true", 11, None, None, 0, 500),
    ]
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), ROWS.types, strict=True)]
    pq.write_table(pa.table(columns, schema=ROWS), out / "intervals" / "part.parquet")
    track = [
        (vessel, time, -4.5 + time / 1e5, 48.0 + vessel / 100) for vessel in (11, 12, 13) for time in (0, 2_000, 5_000)
    ]
    names = ("vessel", "time", "lon", "lat")
    pq.write_table(
        pa.table(dict(zip(names, map(list, zip(*track, strict=True)), strict=True))),
        out / "signals" / "tracks" / "p.parquet",
    )
    pq.write_table(
        pa.table({"vessel": [11, 12, 13], "type": ["fishing", "cargo", "tanker"], "name": ["<b>TERN", "GULL", None]}),
        out / "vessels.parquet",
    )
    counts = {"read": 9, "duplicate": 2, "velocity": 9}
    run = {"engine": "local", "span": [0, 5_000], "counts": counts, "seconds": {"signals": 1.0, "recognition": 2.0}}
    (out / "run.json").write_text(json.dumps(run))
    (tmp_path / "truth.csv").write_text(
        "situation,vessel,vessel2,start,end\ntrawling,11,,900,3000\nrendezVous,13,12,2000,2600\n"
    )
    return load_findings(tmp_path, out)


def test_numbers(findings: Findings) -> None:
    by_name = {one.situation: one for one in findings.counts}
    assert (by_name["rendezVous"].intervals, by_name["rendezVous"].vessels) == (1, 2)
    assert by_name["gap"].intervals == 1  # the one in port is not reported
    assert by_name["gap"].hours == pytest.approx(1_000 / 3_600)  # open: until the end of what was seen
    assert [(one.vessel, one.total) for one in findings.busiest(2)] == [(12, 2), (11, 1)]
    assert {one.vessel for one in findings.varied(3)} == {11, 12, 13}
    assert findings.dropped["duplicate"] == 2


def test_page_needs_nothing_else(findings: Findings) -> None:
    text = page(findings)
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "://" not in text.replace("http://www.w3.org/", "")
    assert "<b>TERN" not in text
    assert "&lt;b&gt;TERN" in text
    assert text.count('class="vessel"') == 3
    assert "How right it is" in text


def test_page_without_truth(findings: Findings) -> None:
    (findings.dataset / "truth.csv").unlink()
    assert "How right it is" not in page(load_findings(findings.dataset, findings.out))


@pytest.mark.parametrize("width", [80, 140])
def test_terminal(findings: Findings, width: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    print_summary(findings, console)
    text = console.export_text()
    assert "4 situations" in text
    assert max(map(len, text.splitlines())) <= width
    assert "GULL" in text


def test_words(findings: Findings) -> None:
    by_name = {score.situation: score for score in findings.scores}
    assert why(by_name["rendezVous"]) == "Agrees within the time between two reports."
    assert why(by_name["trawling"]).startswith("Typically begins 100 s late.")
    assert [duration(seconds) for seconds in (30, 600, 36_000)] == ["30 s", "10 min", "10 h"]
