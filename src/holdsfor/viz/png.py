"""Converts SVG to PNG with a headless browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from holdsfor.diagnostics import HoldsforError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
"""Browsers to look for on the path."""
_SIZE = re.compile(r'<svg[^>]* width="(\d+)" height="(\d+)"')
_LARGEST = 16_000
_PATIENCE = 120


def png_of(svg: str) -> bytes:
    """A picture at twice its size; raises HoldsforError if there is no browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise HoldsforError(
            f"PNG needs a browser to draw it ({', '.join(BROWSERS[:3])}, …), and there is none; save it as .svg or .html"
        )
    found = _SIZE.search(svg)
    assert found is not None
    width, height = int(found[1]), min(int(found[2]), _LARGEST // 2)
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "picture.html"), Path(folder, "picture.png")
        # In a page of its own, an SVG is drawn in its size from the very corner.
        source.write_text(f"<!doctype html><meta charset='utf-8'><body style='margin:0'>{svg}", encoding="utf-8")
        command = [browser, "--headless", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=2"]
        command += [f"--user-data-dir={folder}/profile", f"--window-size={width},{height}", f"--screenshot={target}"]
        command += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        try:
            done = subprocess.run([*command, source.as_uri()], capture_output=True, timeout=_PATIENCE, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise HoldsforError(f"{browser} took too long to draw a PNG; save it as .svg or .html") from None
        if not target.exists():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise HoldsforError(f"{browser} could not draw a PNG: {lines[-1] if lines else done.returncode}")
        return target.read_bytes()
