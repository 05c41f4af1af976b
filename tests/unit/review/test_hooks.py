"""The hooks and the action do what they say in a scratch repository."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec import format_source

ROOT = Path(__file__).parents[3]
RULES = """\
initiatedAt(slow(V)=true, T) :-
    happensAt(speed(V,S), T),
    limit(L),
    S < L.
terminatedAt(slow(V)=true, T) :-
    happensAt(speed(V,S), T),
    limit(L),
    S >= L.
limit(5).
"""
PAGE = """\
---
rules: ../rules/slow.prolog
---
```events
1 speed(tern,3)
9 speed(tern,8)
```
```expected
slow(tern) [2,10)
```
"""


def hooks() -> dict[str, dict[str, str]]:
    """The hooks by their names: every line is `key: value`."""
    found: dict[str, dict[str, str]] = {}
    for block in (ROOT / ".pre-commit-hooks.yaml").read_text().split("\n- ")[1:]:
        fields = dict(line.strip().split(": ", 1) for line in block.splitlines())
        found[fields["id"]] = fields
    return found


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for name in ("rules", "tests"):
        Path(name).mkdir()
    Path("rules/slow.prolog").write_text(format_source(Source("slow.prolog", RULES)))
    Path("tests/slow.md").write_text(PAGE)
    Path("events.csv").write_text("speed|1|1|tern|3\nspeed|9|9|tern|8\nspeed|12|12|gull|4\nspeed|20|20|gull|7\n")
    for words in ("init -q -b main", "add .", "-c user.name=me -c user.email=me@example.org commit -q -m rules"):
        subprocess.run(["git", *words.split()], check=True)
    return tmp_path


def run(*words: str, **more: str) -> tuple[int, str]:
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | more, check=False)
    return done.returncode, done.stdout + done.stderr


def hook(name: str, *words: str) -> tuple[int, str]:
    return run(*shlex.split(hooks()[name]["entry"]), *words)


def test_hooks_are_for_rule_files() -> None:
    for name, fields in hooks().items():
        assert re.search(fields["files"], "rules/slow.prolog"), name
        assert not re.search(fields["files"], "setup.py"), name


def test_hooks_pass_and_fail(repository: Path) -> None:
    del repository
    path = Path("rules/slow.prolog")
    assert hook("holdsfor-check", str(path))[0] == 0
    assert hook("holdsfor-fmt", str(path))[0] == 0
    assert hook("holdsfor-test", "tests")[0] == 0
    assert "no differences" in hook("holdsfor-diff", "--events", "events.csv", "--", "rules")[1]
    written = path.read_text()
    path.write_text(written.replace("limit(5)", "limit(  4)"))
    assert hook("holdsfor-fmt", str(path))[0] == 0
    assert path.read_text() == written.replace("limit(5)", "limit(4)")
    status, output = hook("holdsfor-diff", "--events", "events.csv", "--", "rules")
    assert (status, "slow(gull)=true disappears: [13, 21)" in output) == (0, True)
    path.write_text(written.replace("limit(L)", "limti(L)"))
    status, output = hook("holdsfor-check", str(path))
    assert (status, "did you mean limit?" in output) == (1, True)


def test_the_action_writes_a_comment(repository: Path) -> None:
    script = str(ROOT / "actions/review/review.sh")
    given = {"RULES": "rules", "EVENTS": "events.csv", "TESTS": "tests", "BASE": "main", "GITHUB_OUTPUT": "out.txt"}
    path = repository / "rules/slow.prolog"
    path.write_text(path.read_text().replace("limit(5)", "limit(4)"))
    status, output = run("bash", script, **given)
    assert status == 0, output
    comment = (repository / "holdsfor-diff.md").read_text()
    assert comment.startswith("### What the rules would change\n")
    assert "| 1 | `slow(gull)=true` disappears | `[13, 21); 8 lost` |" in comment
    assert (repository / "out.txt").read_text() == "comment=holdsfor-diff.md\n"
    path.write_text(path.read_text().replace("limit(4)", "limit(   2)"))
    status, output = run("bash", script, **given)
    assert status == 1
    assert "would reformat rules/slow.prolog" in output
    assert "2 failed" in output
    assert "no rule files in tests" in run("bash", script, RULES="tests")[1]


def test_the_action_gives_the_script_all_its_inputs() -> None:
    action = (ROOT / "actions/review/action.yml").read_text()
    script = (ROOT / "actions/review/review.sh").read_text()
    inputs = re.findall(r"^  (\w+):\n    description", action.partition("outputs:")[0], re.MULTILINE)
    assert inputs == ["rules", "events", "tests", "base", "options", "output"]
    for name in inputs:
        assert f"{name.upper()}: ${{{{ inputs.{name} }}}}" in action
        assert re.search(rf"\$\{{{name.upper()}\b", script)
