"""Builds the documentation site: `python docs/build_site.py [folder]`.

Pages come from docs/, the examples, the diagnostics and a few files at the top; links between them are turned into links
of the site, and one that leads nowhere is an error.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import holdsfor
from holdsfor.codes import all_codes, page

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(?<!\\)\]\((?P<target>[^)\s]+)\)")
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_PUBLIC = {
    "holdsfor": None,
    "holdsfor.testing": None,
    "holdsfor.spark": ["recognise", "derived_events", "recognise_stream", "materialise", "materialise_stream"],
    "holdsfor.session": ["Session"],
}


class BrokenLinks(Exception):
    """Links that lead nowhere."""


def sources() -> dict[Path, str]:
    """All files that become pages, and what each is called on the site."""
    found = {path: path.relative_to(ROOT / "docs").as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))}
    for path in sorted((ROOT / "examples").glob("*/README.md")):
        found[path] = f"examples/{path.parent.name}.md"
    found[ROOT / "examples" / "README.md"] = "examples/index.md"
    for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"):
        found[ROOT / f"{name}.md"] = f"{name.lower()}.md"
    found[ROOT / "benchmarks" / "README.md"] = "benchmarks.md"
    return found


def assemble(folder: Path) -> None:
    """Write all pages, pictures and linked files into a folder."""
    pages = sources()
    broken: list[str] = []
    for source, name in pages.items():
        put(folder / name, relinked(source, name, pages, folder, broken))
    if broken:
        raise BrokenLinks("\n".join(broken))
    shutil.copytree(ROOT / "docs" / "images", folder / "images", dirs_exist_ok=True)
    for code in all_codes():
        put(folder / f"diagnostics/{code}.md", page(code) or "")
    put(folder / "diagnostics.md", "\n".join(_index()))
    put(folder / "api.md", "\n".join(_reference()))


def put(path: Path, text: str) -> None:
    """Write a file, with the folders it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def relinked(source: Path, name: str, pages: dict[Path, str], folder: Path, broken: list[str]) -> str:
    """A page with the links of the site; those that lead nowhere are added to `broken`."""
    text = source.read_text(encoding="utf-8")
    code = [match.span() for match in _FENCED.finditer(text)]

    def link(found: re.Match[str]) -> str:
        target = found["target"]
        is_code = any(start <= found.start() < end for start, end in code)
        if is_code or re.match(r"[a-z]+:|#", target):
            return found[0]
        path, mark, anchor = target.partition("#")
        there = _on_site((source.parent / path).resolve(), name, pages, folder)
        if there is None:
            broken.append(f"{source.relative_to(ROOT)}: {target} leads nowhere")
        return f"]({there}{mark}{anchor})"

    return _LINK.sub(link, text)


def _on_site(target: Path, name: str, pages: dict[Path, str], folder: Path) -> str | None:
    """Where a file is on the site, as seen from a page; other files of the project are copied."""
    if target.is_dir() and (target / "README.md") in pages:
        target /= "README.md"
    if target in pages:
        there = pages[target]
    elif target.is_file() and target.is_relative_to(ROOT):
        inside = target.relative_to(ROOT)
        there = inside.relative_to("docs").as_posix() if inside.parts[0] == "docs" else f"files/{inside.as_posix()}"
        (folder / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, folder / there)
    else:
        return None
    return Path(os.path.relpath(there, Path(name).parent)).as_posix()


def _index() -> Iterator[str]:
    yield "# Diagnostics\n\nWhat the checks find. `holdsfor codes HF201` prints a page.\n\n| code | what |\n| --- | --- |"
    for code, title in all_codes().items():
        yield f"| [{code}](diagnostics/{code}.md) | {title} |"


def _reference() -> Iterator[str]:
    yield "# Python reference\n"
    for module, chosen in _PUBLIC.items():
        yield f"## `{module}`\n"
        home = sys.modules.get(module) or __import__(module, fromlist=["_"])
        for name in chosen or home.__all__:
            if not name.startswith("__"):
                yield from _described(name, getattr(home, name))


def _described(name: str, thing: object) -> Iterator[str]:
    yield f"### `{name}`\n"
    if callable(thing):
        yield f"```python\n{name}{_signature(thing)}\n```\n"
    yield _docs(thing)
    if inspect.isclass(thing):
        for part, member in vars(thing).items():
            function = getattr(member, "fget", None) or getattr(member, "func", None) or member
            if not part.startswith("_") and callable(function) and inspect.getdoc(function):
                is_method = inspect.isfunction(member)
                yield f"#### `{name}.{part}`\n"
                yield f"```python\n{part}{_signature(function)}\n```\n" if is_method else ""
                yield _docs(function)


def _signature(thing: object) -> str:
    try:
        return str(inspect.signature(thing)) if callable(thing) else ""
    except ValueError:
        return "(…)"


def _docs(thing: object) -> str:
    text = inspect.getdoc(thing) or ""
    # Examples become blocks of code.
    return re.sub(r"(?m)(^>>> .*(?:\n(?!\n).*)*)", r"```pycon\n\1\n```", text) + "\n"


def main() -> None:
    """Assemble the pages and have them made into a site."""
    folder = ROOT / "build" / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    assemble(folder)
    settings = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    settings = settings.replace('docs_dir = "docs"', 'docs_dir = "pages"').replace(
        'site_dir = "site"', 'site_dir = "site"'
    )
    put(ROOT / "build" / "zensical.toml", settings)
    command = [str(Path(sys.executable).parent / "zensical"), "build", "--clean", "--strict"]
    subprocess.run(command, cwd=ROOT / "build", check=True)  # noqa: S603
    print(f"holdsfor {holdsfor.__version__}: the site is in {ROOT / 'build' / 'site'}")


if __name__ == "__main__":
    main()
