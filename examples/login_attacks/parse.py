"""Lines of an authentication log as rows of a table of events.

python examples/login_attacks/parse.py auth.log --events logins.csv --rejects rejected.log

A line that says something else is counted and left out. A line that cannot be a log line is written aside, with its
number, so that nothing is lost without a trace.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
import csv
import re
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS = ("time", "event", "host", "user", "address", "command")
LINE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (?P<host>[\w.-]+) (?P<program>\w+)(\[\d+\])?: (?P<text>.+)"
)
MESSAGES = {
    "failed": re.compile(r"Failed password for (invalid user )?(?P<user>\S+) from (?P<address>\S+) port \d+"),
    "accepted": re.compile(r"Accepted \w+ for (?P<user>\S+) from (?P<address>\S+) port \d+"),
    "logout": re.compile(r"pam_unix\(sshd:session\): session closed for user (?P<user>\S+)"),
    "sudo": re.compile(r"(?P<user>\S+) : .*USER=root ; COMMAND=(?P<command>.+)"),
    "reinstalled": re.compile(r"System reinstalled"),
}


@dataclass
class Parsed:
    """What a log has."""

    rows: list[dict[str, str]] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    others: int = 0


def parse(lines: list[str]) -> Parsed:
    """Sort lines into events, others and those that are no log lines."""
    found = Parsed()
    for number, line in enumerate(lines, 1):
        fields = LINE.fullmatch(line)
        if fields is None:
            found.rejected.append(f"{number}: {line}")
        elif (event := event_of(fields["text"])) is None:
            found.others += 1
        else:
            found.rows.append({"time": fields["time"], "host": fields["host"], **event})
    return found


def event_of(text: str) -> dict[str, str] | None:
    """The event that a message is about."""
    for name, pattern in MESSAGES.items():
        if said := pattern.match(text):
            return {"event": name, **said.groupdict()}
    return None


def main() -> None:
    """Read a log, write events and what could not be read."""
    options = argparse.ArgumentParser(description="Log lines to events.")
    options.add_argument("log", type=Path)
    options.add_argument("--events", type=Path, required=True)
    options.add_argument("--rejects", type=Path, required=True)
    given = options.parse_args()
    found = parse(given.log.read_text(encoding="utf-8", errors="replace").splitlines())
    with given.events.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(found.rows)
    given.rejects.write_text("".join(f"{line}\n" for line in found.rejected), encoding="utf-8")
    print(f"{len(found.rows)} events, {found.others} other lines, {len(found.rejected)} malformed")  # noqa: T201


if __name__ == "__main__":
    main()
