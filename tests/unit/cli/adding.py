"""Entry points for tests: those that pyproject.toml declares, and those of a package that a test makes."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

ROOT = Path(__file__).parents[3]


def declared_entry_points(group: str) -> list[EntryPoint]:
    """The entry points of a group as the project declares them, whatever is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [EntryPoint(name, value, group) for name, value in project["entry-points"][group].items()]


def make_package(folder: Path, name: str, code: str, group: str, entries: dict[str, str]) -> None:
    """Put a package and the metadata of its installation into a folder."""
    (folder / f"{name}.py").write_text(code)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{command} = {target}\n" for command, target in entries.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
