"""Notebooks: `python docs/notebook_pages.py` runs those in docs/notebooks/ again and keeps what they show.

Tables are kept as text and pictures as SVG, so that the files stay small; Jupyter shows pages to zoom in instead. The
site has each notebook as a page, made of the same.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]
FOLDER = Path(__file__).resolve().parent / "notebooks"


def notebooks() -> list[Path]:
    """All there are, in the order in which they are to be read."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Notebook:
    """A notebook as it is stored."""
    found: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return found


def run(notebook: Notebook, name: str) -> None:
    """Run all cells in order, in an empty folder, and put what they show in place of what is there."""
    names: dict[str, Any] = {"__name__": "__main__"}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate(code_cells(notebook), 1):
                cell["execution_count"] = number
                cell["outputs"] = list(_outputs("".join(cell["source"]), f"{name}, cell {number}", names, number))
        finally:
            os.chdir(here)


def code_cells(notebook: Notebook) -> list[Notebook]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _outputs(code: str, place: str, names: dict[str, Any], number: int) -> Iterator[Notebook]:
    """What a cell prints, and what its last expression is."""
    tree = ast.parse(code, place)
    last = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, place, "exec"), names)  # noqa: S102
        value = None if last is None else eval(compile(ast.Expression(last), place, "eval"), names)  # noqa: S307
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if value is not None:
        data = _shown(value)
        yield {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}


def _shown(value: Any) -> dict[str, Any]:
    if callable(getattr(value, "svg", None)):
        return {"image/svg+xml": _lines(value.svg()), "text/plain": [value.title]}
    return {"text/plain": _lines(repr(value))}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def markdown(notebook: Notebook, name: str, pictures: Path) -> str:
    """A notebook as a page; its pictures go to a folder beside it."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(f"```python\n{text}\n```" if cell["cell_type"] == "code" else text)
        for output in cell.get("outputs", []):
            parts.append(_output(output, f"{name}-{len(parts)}.svg", pictures))
    note = f"This page is a notebook: [{name}.ipynb]({name}.ipynb)."
    return "\n\n".join([*parts, note]) + "\n"


def _output(output: Notebook, name: str, pictures: Path) -> str:
    data = output.get("data", {"text/plain": output.get("text", [])})
    if "image/svg+xml" in data:
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / name).write_text("".join(data["image/svg+xml"]), encoding="utf-8")
        return f"![{''.join(data['text/plain'])}]({pictures.name}/{name})"
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


def write(path: Path, notebook: Notebook) -> None:
    """Store a notebook the way Jupyter does."""
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Run all notebooks again."""
    for path in notebooks():
        notebook = read(path)
        run(notebook, path.name)
        write(path, notebook)
        print(f"{path.name}: {len(code_cells(notebook))} cells, {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
