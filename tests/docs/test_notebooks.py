"""Every cell of the notebooks runs, in order, and shows what is kept in the file."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from notebook_pages import code_cells, markdown, notebooks, read, run

NOTEBOOKS = notebooks()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell(path: Path) -> None:
    kept = read(path)
    again = copy.deepcopy(kept)
    run(again, path.name)
    for before, now in zip(code_cells(kept), code_cells(again), strict=True):
        assert now["outputs"] == before["outputs"], f"run docs/notebook_pages.py: cell {now['execution_count']}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_file_is_what_jupyter_takes_and_small(path: Path) -> None:
    notebook = read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    identities = [cell["id"] for cell in notebook["cells"]]
    assert len(set(identities)) == len(identities)
    assert path.stat().st_size < 200_000
    assert "/home/" not in json.dumps(notebook)


def test_a_page_has_code_text_and_pictures(tmp_path: Path) -> None:
    path = NOTEBOOKS[0]
    page = markdown(read(path), path.stem, tmp_path / "pictures")
    assert page.count("```python\n") == len(code_cells(read(path)))
    assert "```text\n7 intervals at 1 query time" in page
    drawn = sorted((tmp_path / "pictures").iterdir())
    assert len(drawn) == 2
    assert all(f"(pictures/{picture.name})" in page and picture.read_text().startswith("<svg") for picture in drawn)
