"""The programs that pages edit: the files of the command line, examples, and the contents of links."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

from holdsfor.diagnostics import HoldsforError
from holdsfor.workbench.data_findings import DataFindings
from holdsfor.workbench.desk import Desk, Setting
from holdsfor.workbench.gallery import Example, example
from holdsfor.workbench.links import Bundle, unpacked

MAIN = "main"
_MOST = 8
"""The number of open examples and links; beyond it, the least recently used one is closed."""
_EXAMPLE, _LINK = "example-", "link-"


@dataclass(frozen=True)
class Bench:
    """A desk, and the default options of its runs."""

    name: str
    desk: Desk
    title: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @cached_property
    def data_findings(self) -> DataFindings:
        """Findings about mismatches between the rules and the sample."""
        return DataFindings(self.desk)


class Benches:
    """Desks by name."""

    def __init__(self, main: Desk | None) -> None:
        # Without files there is an empty one to write rules in, which is kept nowhere.
        self.main = _of_link(MAIN, Bundle(rules={"rules.prolog": ""}), "") if main is None else Bench(MAIN, main)
        self._open: OrderedDict[str, Bench] = OrderedDict()
        self._lock = Lock()

    def __getitem__(self, name: str) -> Bench:
        """A bench by its name; without one, that of the command line."""
        if name in {"", MAIN}:
            return self.main
        with self._lock:
            found = self._open.get(name)
            if found is None and name.startswith(_EXAMPLE):
                found = self._open[name] = _of_example(example(name.removeprefix(_EXAMPLE)))
            if found is None:
                raise HoldsforError("what this page worked on has been closed; load the page again")
            self._open.move_to_end(name)
            while len(self._open) > _MOST:
                self._open.popitem(last=False)
            return found

    def open_example(self, name: str) -> Bench:
        """An example; the same bench however often it is opened."""
        return self[_EXAMPLE + example(name).name]

    def open_link(self, text: str) -> Bench:
        """The content of a link; the same bench for the same link."""
        name = _LINK + hashlib.sha256(text.encode()).hexdigest()[:24]
        if name not in self._open:
            made = _of_link(name, unpacked(text))
            with self._lock:
                self._open.setdefault(name, made)
        return self[name]


def _of_example(found: Example) -> Bench:
    setting = Setting(
        found.rules,
        found.events,
        found.background,
        found.mapping,
        found.unit,
        may_save=False,
        home=found.rules[0].parent,
    )
    return Bench(_EXAMPLE + found.name, Desk(setting), found.title, {"window": found.window, "step": found.step})


def _of_link(name: str, bundle: Bundle, title: str = "What a link brought") -> Bench:
    root = Path(tempfile.mkdtemp(prefix="holdsfor-")).resolve()

    def placed(files: dict[str, str]) -> tuple[Path, ...]:
        found = []
        for given, text in files.items():
            label, equals, file = given.rpartition("=")
            (root / file).write_text(text, encoding="utf-8", newline="")
            found.append(Path(f"{label}{equals}{root / file}"))
        return tuple(found)

    placed(bundle.loaded)
    mapping = None if bundle.mapping is None else placed({"mapping.toml": bundle.mapping})[0]
    rules, events, background = placed(bundle.rules), placed(bundle.events), placed(bundle.background)
    desk = Desk(Setting(rules, events, background, mapping, bundle.unit, may_save=False, home=root))
    # The folder is deleted when no page uses it any more.
    weakref.finalize(desk, shutil.rmtree, root, ignore_errors=True)
    options = {"window": bundle.window, "step": bundle.step}
    return Bench(name, desk, title, options)
