"""What a person sees on a terminal, and what an interruption leaves behind."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RULES = """\
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
"""
EVENTS = "unlock|1|1|front\nlock|5|5|front\nunlock|9|9|back\n"
ENDLESS = ("--window", "2", "--start", "0", "--end", "100000000", "--threads", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "wrong.prolog").write_text("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), door(D).\n")
    (tmp_path / "events.csv").write_text(EVENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "holdsfor", *arguments]


def on_terminal(*arguments: str, **environment: str) -> bytes:
    """Everything that a command writes to a terminal, on both streams."""
    ours, theirs = os.openpty()
    environ = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")}
    process = subprocess.Popen(
        program(*arguments), stdout=theirs, stderr=theirs, env={**environ, "TERM": "xterm", **environment}
    )
    os.close(theirs)
    seen = b""
    while chunk := _read(ours):
        seen += chunk
    os.close(ours)
    process.wait()
    return seen


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""


def screen(written: bytes) -> list[str]:
    """The lines that a terminal shows at the end."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", written.decode()):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part == "\r":
            column = 0
        elif part.startswith("\x1b"):
            if part.endswith("A"):
                row = max(0, row - int(part[2:-1] or 1))
            elif part.endswith("K"):
                lines[row] = "" if part == "\x1b[2K" else lines[row][:column]
        else:
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize("style", ["csv", "jsonl", "table"])
@pytest.mark.parametrize("windows", [(), ("--window", "3", "--step", "1")])
def test_the_progress_line_is_gone_before_the_output(style: str, windows: tuple[str, ...]) -> None:
    arguments = ("run", "rules.prolog", "--events", "events.csv", "-f", style, *windows)
    shown = screen(on_terminal(*arguments))
    piped = subprocess.run(program(*arguments), capture_output=True, text=True, check=True)
    wanted = [*piped.stdout.splitlines(), *piped.stderr.splitlines()]
    assert [line for line in shown if line] == [line.rstrip() for line in wanted]


def test_colours() -> None:
    for arguments in (("check", "wrong.prolog"), ("run", "-h")):
        assert b"\x1b[" in on_terminal(*arguments)
        assert b"\x1b[3" not in on_terminal(*arguments, NO_COLOR="1")
        assert b"\x1b[" not in on_terminal(*arguments, TERM="dumb")
    # `run` reads plain command lines by itself.
    assert b"\x1b[3" not in on_terminal("run", "wrong.prolog", "--events", "events.csv", NO_COLOR="1")


@pytest.mark.parametrize("old", [None, "old\n"])
def test_an_interruption_leaves_no_partial_file(folder: Path, old: str | None) -> None:
    before = set(folder.iterdir())
    if old is not None:
        (folder / "out.csv").write_text(old)
    command = program("run", "rules.prolog", "--events", "events.csv", "-o", "out.csv", *ENDLESS)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(folder.glob(".out.csv.*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        # Who ignores interruptions, as children of background jobs do, would run on for hours.
        process.kill()
    assert (process.returncode, said) == (130, "interrupted; out.csv was not written\n")
    assert set(folder.iterdir()) - before == ({folder / "out.csv"} if old else set())
    assert not old or (folder / "out.csv").read_text() == old


SLOW = """
initiatedAt(n(X)=C, T) :- happensAt(tick(X), T), holdsAt(n(X)=B, T), C is B + 1.
initiatedAt(n(X)=0, T) :- happensAt(begin(X), T).
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_evaluation_is_interrupted_at_once(folder: Path, threads: str) -> None:
    (folder / "slow.prolog").write_text(SLOW)
    names = [f"k{number}" for number in range(8)]
    rows = [f"begin|0|0|{name}\n" for name in names]
    rows += [f"tick|{at}|{at}|{name}\n" for at in range(1, 40_000) for name in names]
    (folder / "slow.csv").write_text("".join(rows))
    command = program("run", "slow.prolog", "--events", "slow.csv", "-o", "out.csv", "--threads", threads)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    # The file is begun when all is read.
    while not list(folder.glob(".out.csv.*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    before = _processor_time(process.pid)
    process.send_signal(signal.SIGINT)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 130
    # By the clock of a machine that does nothing else, with what it takes Python to end.
    assert used.ru_utime + used.ru_stime - before < 0.2 * int(threads) + 0.1


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_files_take_the_place_of_others_and_keep_their_mode(folder: Path) -> None:
    (folder / "real.csv").write_text("old\n")
    (folder / "real.csv").chmod(0o640)
    (folder / "link.csv").symlink_to("real.csv")
    subprocess.run(program("run", "rules.prolog", "--events", "events.csv", "-o", "link.csv"), check=True)
    assert (folder / "link.csv").is_symlink()
    assert (folder / "real.csv").read_text().startswith("query_time,fluent")
    assert (folder / "real.csv").stat().st_mode & 0o777 == 0o640
