"""Builds self-contained HTML pages, with data, style and script in one file."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from holdsfor.viz.palette import plain

# The page loads and sends nothing; the browser enforces it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(title: str, description: str, body: str, data: Mapping[str, Any], scripts: Sequence[str]) -> str:
    """A complete HTML document. Scripts are names of assets; they find the data in the element `data`."""
    code = "\n".join(_asset(name) for name in scripts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="description" content="{escape(plain(description))}">
<title>{escape(plain(title))}</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
{body}
<div id="tip" role="tooltip"></div>
<script type="application/json" id="data">{json_text(data)}</script>
<script>
{code}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files("holdsfor.viz").joinpath("assets", name).read_text(encoding="utf-8")


def json_text(data: Any) -> str:
    r"""JSON that can be embedded in a page: it cannot end a script element.

    >>> json_text({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def packed(column: npt.NDArray[Any]) -> dict[str, Any]:
    """A column for a script: non-negative integers in as few bytes as possible, otherwise floating-point numbers."""
    if column.dtype.kind in "ub" or column.dtype.kind == "i":
        largest = int(column.max(initial=0))
        name, kind = next(
            pair
            for pair in (("u8", np.uint8), ("u16", np.uint16), ("u32", np.uint32))
            if largest <= np.iinfo(pair[1]).max
        )
        return {"type": name, "data": _base64(column.astype(kind))}
    name = "f32" if column.dtype == np.float32 else "f64"
    return {"type": name, "data": _base64(column)}


def packed_times(times: npt.NDArray[np.float64]) -> dict[str, Any]:
    """A column of times: integers as distances from the first, with 0 and the largest number for infinite ones."""
    near = times[np.isfinite(times)]
    low, high = (float(near.min()), float(near.max())) if len(near) else (0.0, 0.0)
    if high - low >= 2**32 - 3 or (near != np.floor(near)).any():
        return packed(times)
    kind, name = (np.uint16, "u16") if high - low < 2**16 - 3 else (np.uint32, "u32")
    last = np.iinfo(kind).max
    shifted = np.where(np.isposinf(times), last, np.where(np.isneginf(times), 0, times - (low - 1)))
    return {"type": name, "data": _base64(shifted.astype(kind)), "offset": low - 1}


def _base64(column: npt.NDArray[Any]) -> str:
    return b64encode(np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<"))).tobytes()).decode("ascii")
