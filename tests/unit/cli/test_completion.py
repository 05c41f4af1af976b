"""What the Tab key offers, in every command, and in the shells that are installed here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from holdsfor.cli import app
from holdsfor.cli.commands import BUILT_IN
from holdsfor.cli.completing import answer, items_for, line_of

RULES = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).\nholdsFor(shut(D)=true, I) :- holdsFor(open(D)=false, I).\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "work"
    for name in ("data", "my rules", ".hidden"):
        (place / name).mkdir(parents=True)
    (place / "rules.prolog").write_text(RULES)
    (place / "rules.dmtl").write_text("Open(D) :- Unlock(D)\nRecent(D) :- Diamondminus[0,1] Open(D)\n")
    for name in ("my rules/a b.prolog", "events.csv", "log.jsonl.gz", "odd.rules", "tests.md", "mapping.toml", ".env"):
        (place / name).touch()
    (place / "defaults.toml").write_text("[doors]\nstep = 1\n[other]\nstep = 1\n")
    (place / "broken.prolog").write_text("initiatedAt(")
    monkeypatch.chdir(place)
    return tmp_path


def offered(line: str) -> list[str]:
    return [item.word for item in items_for(line_of(line), app)]


def test_commands_and_what_they_do() -> None:
    assert [name for name in offered("holdsfor ") if name in BUILT_IN] == list(BUILT_IN)
    assert offered("holdsfor ch") == ["check"]
    assert offered("holdsfor nonsense ") == offered("holdsfor nonsense --") == []
    assert offered("holdsfor --") == ["--help", "--version"]
    assert list(answer("holdsfor fm", "zsh", app)) == ["fmt\tFormat rule files: one condition to a line, comments kept"]


@pytest.mark.parametrize("command", BUILT_IN)
def test_options_of_every_command(command: str) -> None:
    found = items_for(line_of(f"holdsfor {command} --"), app)
    assert found[-1].word == "--help"
    assert all(item.meaning for item in found), "an option without help"
    shown = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"}).stdout
    assert all(item.word in shown for item in found)


def test_an_option_is_offered_once_unless_it_can_be_repeated() -> None:
    rest = offered("holdsfor run rules.prolog --window 5 --events=events.csv -q --")
    assert not {"--window", "--quiet"} & set(rest)
    assert "--events" in rest


def test_files_of_the_kind_that_is_wanted() -> None:
    folders = ["data/", "my rules/"]
    rules = ["broken.prolog", *folders, "rules.dmtl", "rules.prolog"]
    assert sorted(offered("holdsfor run ")) == sorted(rules)
    assert sorted(offered("holdsfor test tests.md --rules ")) == sorted(rules)
    assert offered("holdsfor run my\\ rules/") == offered("holdsfor run 'my rules/") == ["my rules/a b.prolog"]
    assert sorted(offered("holdsfor run rules.prolog --events ")) == sorted([*folders, "events.csv", "log.jsonl.gz"])
    assert offered("holdsfor run rules.prolog --mapping=m") == ["--mapping=mapping.toml", "--mapping=my rules/"]
    assert offered("holdsfor run rules.prolog --background tier=ev") == ["tier=events.csv"]
    assert offered("holdsfor test t") == ["tests.md"]
    assert offered("holdsfor run rules.prolog --output o") == ["odd.rules"]
    # Nothing of the kind begins so: whoever writes it knows better.
    assert offered("holdsfor run odd") == ["odd.rules"]
    assert offered("holdsfor run .h") == [".hidden/"]
    assert offered("holdsfor run nowhere/") == offered("holdsfor run rules.prolog --window ") == []


def test_files_of_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert offered("holdsfor run ~/work/rules.p") == ["~/work/rules.prolog"]


def test_words_and_names() -> None:
    assert offered("holdsfor run rules.prolog --engine ") == ["local", "reference", "spark"]
    assert offered("holdsfor test tests.md --engine r") == ["reference"]
    assert offered("holdsfor run rules.prolog --format=p") == ["--format=parquet"]
    assert offered("holdsfor run rules.prolog --fluent ") == ["open", "shut"]
    assert offered("holdsfor run rules.dmtl --query R") == ["Recent"]
    assert offered("holdsfor rtec defaults.toml ") == ["doors", "other"]
    assert offered("holdsfor completion ") == ["bash", "zsh", "fish"]
    assert len(offered("holdsfor codes HF20")) > 5
    assert offered("holdsfor codes HF201 ") == offered("holdsfor lsp ") == []


def test_mistakes_in_what_is_there_do_not_disturb() -> None:
    assert list(answer("holdsfor run broken.prolog --fluent ", "bash", app)) == []
    assert list(answer("holdsfor run missing.prolog --fluent ", "bash", app)) == []
    assert list(answer("holdsfor rtec events.csv ", "bash", app)) == []


def shell(name: str, script: str) -> list[str]:
    """The lines that a shell prints, with the command of this checkout."""
    bins = Path("bin")
    bins.mkdir()
    (bins / "holdsfor").write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c 'from holdsfor.cli import main; main()' \"$@\"\n"
    )
    (bins / "holdsfor").chmod(0o755)
    settings = {"bash": ["--norc"], "fish": ["--no-config"], "zsh": ["-f"]}[name]
    environment = os.environ | {
        "PATH": f"{bins.resolve()}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run([name, *settings, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bash() -> None:
    Path("c.bash").write_text(invoke("bash").stdout)
    asked = ["holdsfor ch", "holdsfor run my\\ rules/", "holdsfor run rules.prolog --events=e"]
    calls = [f"COMP_LINE={one!r} COMP_POINT={len(one)}; _holdsfor holdsfor; echo ${{COMPREPLY[@]@Q}}" for one in asked]
    found = shell("bash", ". ./c.bash; complete -p holdsfor; " + "; ".join(calls).replace("\\\\", "\\"))
    assert found == ["complete -F _holdsfor holdsfor", "'check'", "'my\\ rules/a\\ b.prolog'", "'events.csv'"]


@pytest.mark.parametrize("name", [name for name in ("fish", "zsh") if shutil.which(name)])
def test_other_shells(name: str) -> None:
    Path("c").write_text(invoke(name).stdout)
    if name == "fish":
        assert shell("fish", 'source c; complete -C "holdsfor backt"; complete -C "holdsfor run my\\ rules/"') == [
            "backtest\tCompare results with labels: precision and recall by time and by episode, false alarms, misses, and why",
            "my rules/a b.prolog",
        ]
    else:
        given = r"words=(holdsfor run 'my\ rules/') CURRENT=3 PREFIX='my\ rules/'; compdef() {}"
        assert shell("zsh", f"{given}; compadd() {{ print -r -- $@ }}; source ./c; _holdsfor") == [
            "-- my rules/a b.prolog"
        ]


def invoke(*words: str, **environment: str | None) -> Result:
    return CliRunner().invoke(app, ["completion", *words], env=environment)


def test_installation(folder: Path) -> None:
    home = {"HOME": str(folder), "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None, "ZDOTDIR": None}
    (folder / ".bashrc").write_bytes("alias ll='ls -l' # für".encode("latin-1"))
    first, again = invoke("bash", "--install", **home), invoke("--install", SHELL="/bin/bash", **home)
    script = folder / ".local/share/bash-completion/completions/holdsfor"
    assert script.read_text() == invoke("bash").stdout
    wanted = f"alias ll='ls -l' # für\n[ -r {script} ] && . {script}\n"
    assert (folder / ".bashrc").read_bytes() == wanted.encode("latin-1")
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert f"{folder}/.bashrc reads it now" in first.stdout
    assert f"{folder}/.bashrc reads it already" in again.stdout
    assert invoke("zsh", "--install", **home).exit_code == invoke("fish", "--install", **home).exit_code == 0
    assert (folder / ".zshrc").read_text().count("completion.zsh") == 2
    assert (folder / ".config/fish/completions/holdsfor.fish").exists()
    unknown = invoke(SHELL="/bin/tcsh")
    assert (unknown.exit_code, unknown.stderr) == (
        1,
        "error: $SHELL is tcsh; say which shell: holdsfor completion bash|zsh|fish\n",
    )
