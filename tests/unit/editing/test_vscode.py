"""The extension for VS Code: its manifest says what the server does, its grammars are the ones that `grammar` prints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor import __version__
from holdsfor.cli import app
from holdsfor.editing.colouring import Modifier, WordRole
from holdsfor.editing.lexers import MetricLexer, RulesLexer

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text("utf-8"))
SPEAK = Path(__file__).with_name("speak_lsp.js")


@pytest.mark.parametrize("grammar", MANIFEST["contributes"]["grammars"], ids=lambda grammar: grammar["language"])
def test_grammars_are_those_of_the_command(grammar: dict[str, str]) -> None:
    """To write them anew: `holdsfor grammar rtec -o editors/vscode/syntaxes/rtec.tmLanguage.json`, and so for dmtl."""
    printed = CliRunner().invoke(app, ["grammar", grammar["language"]]).stdout
    committed = (FOLDER / grammar["path"]).read_text("utf-8")
    assert committed == printed
    assert json.loads(committed)["scopeName"] == grammar["scopeName"]


def test_manifest_names_files_that_are_there() -> None:
    contributes = MANIFEST["contributes"]
    named = [MANIFEST["main"], *(one["path"] for one in contributes["grammars"])]
    named += [one["configuration"] for one in contributes["languages"]]
    assert all((FOLDER / name).is_file() for name in named)
    assert json.loads((FOLDER / "language-configuration.json").read_text("utf-8"))["comments"]["lineComment"] == "%"


def test_manifest_is_about_this_version() -> None:
    assert MANIFEST["version"] == __version__
    assert f"holdsfor-{__version__}.vsix" in (FOLDER / "README.md").read_text("utf-8")


def test_languages_have_the_endings_that_the_lexers_know() -> None:
    endings = {one["id"]: one["extensions"] for one in MANIFEST["contributes"]["languages"]}
    for language, lexer in (("rtec", RulesLexer), ("dmtl", MetricLexer)):
        assert [f"*{ending}" for ending in endings[language]] == lexer.filenames
        assert language in lexer.aliases
        assert f"onLanguage:{language}" in MANIFEST["activationEvents"]


def test_roles_of_words_are_those_of_the_server() -> None:
    contributes = MANIFEST["contributes"]
    assert {one["id"] for one in contributes["semanticTokenModifiers"]} == {str(Modifier.TIME)}
    for scopes in contributes["semanticTokenScopes"]:
        for selector in scopes["scopes"]:
            role, *modifiers = selector.split(".")
            assert WordRole(role) and all(map(Modifier, modifiers))


def test_settings_are_described_where_they_are_used() -> None:
    settings = set(MANIFEST["contributes"]["configuration"]["properties"])
    assert settings == {"holdsfor.path", "holdsfor.background", "holdsfor.events"}
    pages = (FOLDER / "README.md").read_text("utf-8"), (ROOT / "docs" / "editors.md").read_text("utf-8")
    assert all(f"`{setting}`" in page for setting in settings for page in pages)
    script = (FOLDER / "extension.js").read_text("utf-8")
    assert all(f'"{setting.removeprefix("holdsfor.")}"' in script for setting in settings)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_package_and_server_as_the_client_starts_it(tmp_path: Path) -> None:
    folder = tmp_path / "editors" / "vscode"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    shutil.copy(ROOT / "LICENSE", tmp_path)
    npm, npx, node = (shutil.which(command) or command for command in ("npm", "npx", "node"))
    subprocess.run([npm, "install", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=600)
    subprocess.run([npx, "@vscode/vsce", "package"], cwd=folder, check=True, timeout=300, stdin=subprocess.DEVNULL)
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(folder / f"holdsfor-{__version__}.vsix") as package:
        package.extractall(unpacked)
    extension = unpacked / "extension"
    assert (extension / "LICENSE.txt").is_file() and (extension / "syntaxes" / "rtec.tmLanguage.json").is_file()
    assert not (extension / "node_modules" / "@vscode").exists()
    command = tmp_path / "bin" / "holdsfor"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m holdsfor "$@"\n')
    command.chmod(0o755)
    asked = [node, str(SPEAK), str(extension), str(tmp_path), "bin/holdsfor"]
    spoken = subprocess.run(asked, check=True, timeout=120, capture_output=True, text=True, env=dict(os.environ))
    answers = json.loads(spoken.stdout)
    assert answers["activated"] == {"languages": ["dmtl", "rtec"], "command": str(command), "args": ["lsp"]}
    assert answers["message"] == "unknown predicate hapensAt/2\ndid you mean happensAt?"
    assert answers["fix"] == "happensAt"
    assert answers["tokens"] > 5
    assert answers["exit"] == 0
