"""The page with one line for each source file, made of the first line of its docstring or comment."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def source_map() -> str:
    """The whole page: a table for each folder."""
    lines = [
        "# Source map",
        "",
        "One line for each file, from its docstring or first comment. `./dev docs` generates this page.",
    ]
    for package in sorted((ROOT / "src").glob("holdsfor*")):
        for folder in [package, *sorted(path for path in package.rglob("*") if path.is_dir())]:
            rows = list(_rows(folder))
            if rows:
                lines += [
                    "",
                    f"## {folder.relative_to(ROOT / 'src').as_posix()}",
                    "",
                    "| file | purpose |",
                    "| --- | --- |",
                ]
                lines += rows
    return "\n".join([*lines, ""])


def _rows(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        is_header_there = path.suffix == ".cpp" and path.with_suffix(".h").exists()
        purpose = "" if is_header_there else _purpose(path)
        if purpose:
            name = path.stem if path.suffix == ".h" and path.with_suffix(".cpp").exists() else path.name
            yield f"| `{name}` | {purpose.replace('|', '&#124;')} |"


def _purpose(path: Path) -> str:
    """The first paragraph of what a file says about itself."""
    if path.suffix == ".py":
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        return " ".join(text.partition("\n\n")[0].split())
    if path.suffix in (".h", ".cpp"):
        comment = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("// "):
                break
            comment.append(line.removeprefix("// "))
        return " ".join(comment)
    return ""
