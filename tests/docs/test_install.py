"""Every line that installs something installs what there is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = set(PROJECT["optional-dependencies"])
PAGES = [
    ROOT / "README.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted(DOCS.rglob("*.ipynb")),
    *sorted((ROOT / "examples").rglob("*.md")),
    ROOT / "editors" / "vscode" / "README.md",
]


def installed(path: Path) -> Iterator[tuple[str, set[str]]]:
    """What lines install, and with which extras."""
    for line in re.findall(r"\bpip install ((?:'[^']*'|\S)(?:[^\n`#]*))", path.read_text("utf-8")):
        for word in re.findall(r"'[^']*'|\S+", re.split(r"\\n|;|&&", line)[0]):
            name, _, extras = word.strip("'").partition("[")
            if name.startswith("-"):
                continue
            yield name, set(filter(None, extras.partition("]")[0].split(",")))
            if not word.startswith("'") and name != ".":
                break


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages(path: Path) -> None:
    """From the checkout, not from an index that does not have it."""
    for name, extras in installed(path):
        known = name == "." or name.endswith(f"-{PROJECT['version']}-cp311-cp311-linux_x86_64.whl")
        assert known or path.name == "install.md", f"{path}: pip install {name}"
        assert extras <= EXTRAS, f"{path}: {extras - EXTRAS}"


def test_there_are_such_lines() -> None:
    assert sum(1 for path in PAGES for _ in installed(path)) > 12


def test_the_page_about_it_names_all_extras() -> None:
    table = (DOCS / "install.md").read_text("utf-8").partition("| --- |")[2]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))) == EXTRAS
    assert f"holdsfor-{PROJECT['version']}-cp3" in (DOCS / "install.md").read_text("utf-8")


def test_messages_name_extras_that_there_are() -> None:
    """These are read where the package is installed already, so that its name is enough."""
    named = {
        extra
        for path in (ROOT / "src").rglob("*.py")
        for extra in re.findall(r"pip install '?holdsfor\[(\w+)\]", path.read_text("utf-8"))
    }
    assert named
    assert named <= EXTRAS
