"""Bugs planted in the core: a copy of its sources with every bug behind a number, built once into a module of its own.

The sources that are shipped know nothing of this. A bug names a file and a piece of it in which the right expression, or
statements, stand between « and »; the copy has `planted_bug == number ? wrong : right` there. That the piece occurs
exactly once is checked, so a bug cannot be left behind when the core changes.
"""

from __future__ import annotations

import fcntl
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.core.building import ROOT

SOURCES = ROOT / "src" / "holdsfor" / "core"
FOLDER = ROOT / "build" / "planted"
_HEADER = """// Which bug is planted; none if zero.
#pragma once
namespace holdsfor {
inline int planted_bug = 0;
}
"""
_HOOK = "nb::set_leak_warnings(false);"
_PLANT = ' module.def("plant", [](int number) { holdsfor::planted_bug = number; });'


@dataclass(frozen=True)
class CoreBug:
    """A bug of the core, or one of the Python around it that a patch plants."""

    name: str
    file: str
    piece: str = ""
    wrong: str = ""
    patch: Callable[[pytest.MonkeyPatch], None] | None = None

    @property
    def right(self) -> str:
        """What stands in the sources."""
        return self.piece.partition("«")[2].partition("»")[0]

    def planted(self, text: str, number: int) -> str:
        """The text of the file with the bug behind a number."""
        where = self.piece.replace("«", "").replace("»", "")
        assert text.count(where) == 1, f"{self.name}: {text.count(where)} times in {self.file}: {where}"
        is_statement = self.right.rstrip().endswith((";", "}"))
        if is_statement:
            both = f"if (planted_bug == {number}) {{ {self.wrong} }} else {{ {self.right} }}"
        else:
            both = f"(planted_bug == {number} ? ({self.wrong}) : ({self.right}))"
        return text.replace(where, re.sub("«.*»", lambda _: both, self.piece, flags=re.DOTALL))


def planted_core(bugs: list[CoreBug]) -> Any:
    """The module with all bugs; `plant(number)` chooses one, counted from 1."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _write_sources(planted_sources(bugs))
        return _imported(_built())


def planted_sources(bugs: list[CoreBug]) -> dict[str, str]:
    """The sources of the core with all bugs, by the name of the file."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in SOURCES.iterdir() if _is_source(path)}
    changed = {"bindings.cpp"}
    for number, bug in enumerate(bugs, 1):
        if bug.patch is None:
            texts[bug.file] = bug.planted(texts[bug.file], number)
            changed.add(bug.file)
    assert texts["bindings.cpp"].count(_HOOK) == 1
    texts["bindings.cpp"] = texts["bindings.cpp"].replace(_HOOK, _HOOK + _PLANT)
    for name in changed:
        head = "#pragma once\n" if name.endswith(".h") else ""
        texts[name] = f'{head}#include "planted.h"\n{texts[name]}'
    return texts | {"planted.h": _HEADER}


def _write_sources(texts: dict[str, str]) -> None:
    folder = FOLDER / "sources"
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _is_source(path: Path) -> bool:
    return path.suffix in (".cpp", ".h") or path.name == "CMakeLists.txt"


def _built() -> Path:
    cmake = shutil.which("cmake", path=Path(sys.executable).parent) or "cmake"
    options = [f"-DPython_EXECUTABLE={sys.executable}", *(["-G", "Ninja"] if shutil.which("ninja") else [])]
    configure = [cmake, "-S", str(FOLDER / "sources"), "-B", str(FOLDER / "build"), *options]
    for command in (configure, [cmake, "--build", str(FOLDER / "build"), "--parallel", "2"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return next((FOLDER / "build").glob("_core*.so"))


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("holdsfor.core._core", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
