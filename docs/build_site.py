"""Builds the documentation site: `python docs/build_site.py [folder]`.

Pages come from docs/, the notebooks, the examples, the diagnostics, the docstrings and a few files at the top. Links
between them are turned into links of the site; one that leads nowhere, or to a heading that is not there, is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import notebook_pages
from reference_page import reference
from source_map import source_map

import holdsfor
from holdsfor.codes import all_codes, page

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(?<!\\)\]\((?P<target>[^)\s]+)\)")
_INFO = re.compile(r"^```(?P<language>\w+)(?P<rest> [^\n`]*)?$", re.MULTILINE)
_TITLED = {"events": "events", "facts": "facts", "expected": "expected"}
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)


class BrokenLinks(Exception):
    """Links that lead nowhere."""


def sources() -> dict[Path, str]:
    """All files that become pages, and what each is called on the site."""
    found = {path: path.relative_to(ROOT / "docs").as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))}
    for path in notebook_pages.notebooks():
        found[path] = f"notebooks/{path.stem}.md"
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
        text = _text(source, folder / name)
        put(folder / name, relinked(source, text, name, pages, folder, broken))
    if broken:
        raise BrokenLinks("\n".join(broken))
    shutil.copytree(ROOT / "docs" / "images", folder / "images", dirs_exist_ok=True)
    shutil.copyfile(ROOT / "docs" / "site.css", folder / "site.css")
    for code in all_codes():
        put(folder / f"diagnostics/{code}.md", page(code) or "")
    put(folder / "diagnostics.md", "\n".join(_index()))
    put(folder / "api.md", reference())
    put(folder / "source.md", source_map())


def put(path: Path, text: str) -> None:
    """Write a file, with the folders it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _text(source: Path, page: Path) -> str:
    if source.suffix == ".ipynb":
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, page.parent / source.name)
        return notebook_pages.markdown(notebook_pages.read(source), source.stem, page.parent / "pictures")
    return source.read_text(encoding="utf-8")


def relinked(source: Path, text: str, name: str, pages: dict[Path, str], folder: Path, broken: list[str]) -> str:
    """A page with the links of the site; those that lead nowhere are added to `broken`."""
    code = [match.span() for match in _FENCED.finditer(text)]

    def link(found: re.Match[str]) -> str:
        target = found["target"]
        is_code = any(start <= found.start() < end for start, end in code)
        if is_code or re.match(r"[a-z]+:|#", target):
            return found[0]
        path, mark, anchor = target.partition("#")
        if source.suffix == ".ipynb" and (folder / name).parent.joinpath(path).exists():
            return found[0]
        there = _on_site((source.parent / path).resolve(), name, pages, folder)
        if there is None:
            broken.append(f"{source.relative_to(ROOT)}: {target} leads nowhere")
        return f"]({there}{mark}{anchor})"

    return _INFO.sub(_titled, _LINK.sub(link, text))


def _titled(found: re.Match[str]) -> str:
    """The first line of a block, in the words of the site: the name of its file, or what is in it, becomes its title."""
    language, rest = found["language"], (found["rest"] or "").strip()
    title = f"{_TITLED[language]} {rest}".strip() if language in _TITLED else rest
    return f'```{language} title="{title}"' if title else found[0]


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


class _Links(HTMLParser):
    """The anchors of a page, the targets of its links, and links that a screen reader has no name for."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors = {""}
        self.targets: set[str] = set()
        self.nameless: list[str] = []
        self._open: list[str] = []
        self._named = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := given.get(name)))
        self.targets.update(value for name in ("href", "src") if (value := given.get(name)))
        if tag == "a" and "href" in given:
            self._open.append(given["href"] or "")
            self._named = False
        self._named |= any(given.get(name) for name in ("aria-label", "title", "alt"))

    def handle_data(self, data: str) -> None:
        self._named |= bool(data.strip())

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._open:
            target = self._open.pop()
            if not self._named:
                self.nameless.append(target)


def check_site(site: Path) -> None:
    """Raise for links of a finished site that have no name, or lead to no file or to no heading of their page."""
    pages = {path: _Links() for path in sorted(site.rglob("*.html"))}
    for path, links in pages.items():
        links.feed(path.read_text(encoding="utf-8"))
    broken = [
        f"{path.relative_to(site)}: {target} leads nowhere"
        for path, links in pages.items()
        for target in sorted(links.targets)
        if path.name != "404.html" and not _is_there(site, path, target, pages)
    ]
    broken += [
        f"{path.relative_to(site)}: {one} has no name" for path, links in pages.items() for one in links.nameless
    ]
    if broken:
        raise BrokenLinks("\n".join(broken))


def _is_there(site: Path, page: Path, target: str, pages: dict[Path, _Links]) -> bool:
    if re.match(r"[a-z]+:|//", target):
        return True
    name, _, anchor = unquote(target).partition("#")
    there = site / name.lstrip("/") if name.startswith("/") else (page.parent / name if name else page)
    there = Path(os.path.normpath(there))
    there = there / "index.html" if there.is_dir() else there
    return there.exists() and (there not in pages or anchor in pages[there].anchors)


def build(folder: Path) -> Path:
    """Make the site in a folder; gives where it is."""
    shutil.rmtree(folder / "pages", ignore_errors=True)
    assemble(folder / "pages")
    settings = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    put(folder / "zensical.toml", settings.replace('docs_dir = "docs"', 'docs_dir = "pages"'))
    command = [str(Path(sys.executable).parent / "zensical"), "build", "--clean", "--strict"]
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603
    check_site(folder / "site")
    return folder / "site"


def main() -> None:
    """Make the site in build/, or in the folder that is given."""
    site = build(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build")
    print(f"holdsfor {holdsfor.__version__}: the site is in {site}")


if __name__ == "__main__":
    main()
