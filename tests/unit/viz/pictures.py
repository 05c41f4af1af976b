"""What tests of pictures share: reading an SVG back, and random lanes."""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

import numpy as np

from holdsfor.viz.timeline import Lane

SVG = "{http://www.w3.org/2000/svg}"
_SHIFT = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")


class Bar(NamedTuple):
    left: float
    right: float
    top: float
    fill: str
    title: str


def bars(root: ET.Element) -> list[Bar]:
    """The intervals that were drawn one by one, from the left edge of the field."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") == "bar":
            x, width = float(rect.get("x")), float(rect.get("width"))
            found.append(Bar(x, x + width, float(rect.get("y")), rect.get("fill"), rect.find(f"{SVG}title").text))
    return found


def texts(root: ET.Element) -> list[str]:
    return [element.text for element in root.iter(f"{SVG}text")]


def field_left(root: ET.Element) -> float:
    """Where time begins: the group of the field is the one that is moved sideways."""
    shifts = (_SHIFT.match(group.get("transform", "")) for group in root.iter(f"{SVG}g") if not group.get("class"))
    return max(float(shift[1]) for shift in shifts if shift)


def boxes(root: ET.Element) -> list[tuple[float, float, float, str]]:
    """Rectangles that are parts of paths: left, right, top and colour."""
    found = []
    for path in root.iter(f"{SVG}path"):
        if path.get("fill"):
            for x, y, width in re.findall(r"M([-\d.e]+),([-\d.e]+)h([-\d.e]+)v", path.get("d")):
                found.append((float(x), float(x) + float(width), float(y), path.get("fill")))
    return found


def random_lanes(lanes: int, intervals: int, seed: int = 1, length: float = 20.0) -> list[Lane]:
    """Lanes with so many intervals each, whole times."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(lanes):
        start = np.cumsum(rng.integers(60, 160, intervals))
        end = start + np.minimum(1 + rng.exponential(length, intervals).astype(np.int64), 55)
        found.append(Lane(f"stopped({number})", start, end, group=str(number // 2), kind=f"kind{number % 3}"))
    return found
