"""The examples in the help of every command do what they say."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.commands import BUILT_IN
from holdsfor.cli.completing import CommandWords, items_for, line_of
from holdsfor.cli.examples import EXAMPLES

RULES = """\
initiatedAt(open(D)=true, T) :-
    happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :-
    happensAt(lock(D), T).
"""
LIMITS = """\
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(L), S < L.
initiatedAt(slow(V)=false, T) :- happensAt(speed(V,S), T), limit(L), S >= L.
fi(slow(V)=true, slow(V)=false, 40).
limit(5).
"""
METRIC = "Recent(X) :- Diamondminus[0,1/2] Alarm(X)\n"
PAGE = "```events\n3 unlock(front)\n9 lock(front)\n```\n```expected\nopen(front) [4,10)\n```\n"
MAPPING = 'time = "at"\n[event.unlock]\nwhere = { what = "unlock" }\nargs = ["door"]\n'

ENDLESS = frozenset({"serve", "lsp"})
"""Commands that go on until somebody ends them."""
ELSEWHERE = frozenset({"stream"})
"""Those whose examples take long. Tests of their own run such command lines."""
LINES = [(command, line) for command in BUILT_IN for _, line in EXAMPLES[command]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    Path("rules.prolog").write_text(RULES)
    Path("old.prolog").write_text(RULES.replace("lock(D)", "lock(D, _)", 1))
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "rules.prolog"], check=True)
    subprocess.run([*"git -c user.name=me -c user.email=me@example.org commit -q -m rules".split()], check=True)
    Path("rules.dmtl").write_text(METRIC)
    Path("events.csv").write_text("unlock|3|3|front\nlock|9|9|front\n")
    Path("labels.csv").write_text("fluent,value,start,end\nopen(front),true,4,9\n")
    Path("limits.prolog").write_text(LIMITS)
    Path("speeds.csv").write_text("speed|1|1|tern|3\nspeed|9|9|tern|8\nspeed|20|20|tern|2\nspeed|30|30|tern|9\n")
    Path("slow.csv").write_text("fluent,value,start,end\nslow(tern),true,2,10\nslow(tern),true,21,31\n")
    Path("log.csv").write_text("at,what,door\n3,unlock,front\n")
    Path("mapping.toml").write_text(MAPPING)
    Path("doors.csv").write_text("door,floor\nfront,2\n")
    Path("facts.txt").write_text("Alarm(front)@3\n")
    Path("defaults.toml").write_text(
        '[doors]\nevent_description = ["rules.prolog"]\ninput_providers = ["events.csv"]\nwindow_size = 10\nstep = 10\n'
    )
    Path("tests.md").write_text(PAGE)
    Path("doors.md").write_text(f"```prolog\n{RULES}```\n{PAGE}")
    Path("tests").mkdir()
    Path("tests/doors.md").write_text(f"---\nrules: ../rules.prolog\n---\n{PAGE}")
    return tmp_path


def test_every_command_has_some() -> None:
    assert all(EXAMPLES[command] for command in BUILT_IN)


@pytest.mark.parametrize("command", BUILT_IN)
def test_help_ends_with_them(command: str) -> None:
    shown = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "60"}).stdout
    listed = [f"  # {what}\n  {line}\n" for what, line in EXAMPLES[command]]
    assert shown.endswith(f"Examples\n{''.join(listed)}\n")


@pytest.mark.parametrize(("command", "line"), LINES)
def test_options_are_those_of_the_command(command: str, line: str) -> None:
    assert line == f"holdsfor {command}" or line.startswith(f"holdsfor {command} ")
    options = {item.word for item in items_for(line_of(f"holdsfor {command} --"), app)} | {"-o"}
    assert set(re.findall(r"(?<=\s)--?[a-z][\w-]*", line)) <= options


@pytest.mark.parametrize(
    ("command", "line"), [one for one in LINES if one[0] not in ENDLESS | ELSEWHERE], ids=lambda text: text
)
def test_they_run(folder: Path, command: str, line: str) -> None:
    result = CliRunner().invoke(app, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    for target in re.findall(r"-o (\S+)", line):
        assert Path(target).stat().st_size > 0


def test_help_texts_are_of_one_kind() -> None:
    for one in app.registered_commands:
        command = CommandWords("", one.callback)
        first, *_ = one.callback.__doc__.splitlines()
        assert re.fullmatch(r"[A-Z].*\.", first), f"{one.name}: {first}"
        for parameter in command.parameters:
            place = f"{one.name} {parameter.name}: {parameter.help!r}"
            assert re.fullmatch(r"([A-Z]|-|\.dmtl |[a-z]+[:,] ).*\.", parameter.help), place
