"""What pictures have in common: files by their endings, PNG by a browser, graphs of programs."""

import shutil
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import holdsfor
from holdsfor.diagnostics import HoldsforError, ProgramError, Source
from holdsfor.loading import from_sources
from holdsfor.viz import png
from holdsfor.viz.colours import KINDS, colour, ink_on
from holdsfor.viz.timeline import Lane, timeline

RULES = (
    "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\nterminatedAt(open(D)=true, T) :- happensAt(lock(D), T)."
)
HAS_BROWSER = any(map(shutil.which, png.BROWSERS))


def test_files_by_their_endings(tmp_path: Path) -> None:
    picture = timeline([Lane("a", [1], [2])])
    assert picture.save(tmp_path / "a.svg").read_text() == picture.svg()
    assert picture.save(str(tmp_path / "a.HTML")).read_text() == picture.html()
    with pytest.raises(HoldsforError, match=r"saved as .svg, .html, .png, not as 'a.gif'"):
        picture.save(tmp_path / "a.gif")
    with pytest.raises(HoldsforError, match="cannot write"):
        picture.save(tmp_path / "none" / "a.svg")


@pytest.mark.skipif(not HAS_BROWSER, reason="needs a browser")
def test_png(tmp_path: Path) -> None:
    content = timeline([Lane("a", [1], [2])]).save(tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">I", content[16:20]) == (2400,)


def test_png_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "BROWSERS", ("no-such-browser",))
    with pytest.raises(HoldsforError, match="PNG needs a browser"):
        png.png_of("<svg/>")


def test_graph_of_a_program(tmp_path: Path) -> None:
    graph = holdsfor.loads(RULES).graph()
    assert ET.fromstring(graph._repr_svg_()).get("class") == "holdsfor-graph"
    page = graph.html()
    assert "1 nodes and 0 edges" not in page and "1 node" in page
    assert "default-src 'none'" in page
    assert graph.save(tmp_path / "g.dot").read_text() == graph.dot()
    assert graph.save(tmp_path / "g.mmd").read_text() == graph.mermaid()
    assert len(holdsfor.loads(RULES).graph("fluents").view.nodes) == 1
    metric = holdsfor.loads_metric("Q(X) :- Boxminus[0,2] P(X)").graph()
    assert "predicates" in metric.title


def test_graph_of_a_program_with_errors() -> None:
    with pytest.raises(ProgramError):
        from_sources([Source("r", "initiatedAt(f(X)=true, T) :- happensAt(e, T).")]).graph()


def test_colours() -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert colour(len(KINDS)) == colour(0)
    assert {ink_on(one) for one in KINDS} == {"#ffffff", "#111820"}
    for one in KINDS:
        assert _contrast(one, ink_on(one)) > 4


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour_text: str) -> float:
    channels = [int(colour_text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
