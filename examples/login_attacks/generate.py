"""An authentication log with attacks in it, and a list of those attacks.

python examples/login_attacks/generate.py --hosts 5 --users 20 --attacks 10 --output auth.log --truth truth.csv

People log in, mistype now and then, and some use sudo. Attackers guess passwords: most give up, some get in, and half of
those become root. A patient one waits so long between two guesses that a limit of a minute does not find it. A few lines
are damaged.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)
Line = tuple[int, str]


def failed(host: str, user: str, address: str) -> str:
    """A wrong password."""
    return f"{host} sshd[811]: Failed password for {user} from {address} port 50122 ssh2"


def session(random: np.random.Generator, start: int, host: str, user: str, address: str, *, root: bool) -> list[Line]:
    """A login, perhaps sudo, and the end of the session."""
    lasts = int(random.integers(60, 900))
    found = [(start, f"{host} sshd[811]: Accepted password for {user} from {address} port 50122 ssh2")]
    if root:
        command = f"{host} sudo: {user} : TTY=pts/0 ; PWD=/home/{user} ; USER=root ; COMMAND=/bin/bash"
        found.append((start + lasts // 2, command))
    return [*found, (start + lasts, f"{host} sshd[811]: pam_unix(sshd:session): session closed for user {user}")]


def work(random: np.random.Generator, span: int, hosts: int, users: int) -> Iterator[Line]:
    """What people do: up to two typing mistakes, and every fourth is an administrator."""
    for number in range(users):
        host, user, address = f"host{random.integers(1, hosts + 1)}", f"user{number}", f"192.0.2.{number % 250}"
        for start in random.integers(100, span, 3).tolist():
            mistakes = int(random.integers(0, 3))
            yield from ((start - 10 * (index + 1), failed(host, user, address)) for index in range(mistakes))
            yield from session(random, start, host, user, address, root=number % 4 == 0)
    for time in range(0, span, 600):
        yield time, "host1 CRON[99]: pam_unix(cron:session): session opened for user root"


def attack(random: np.random.Generator, number: int, span: int, hosts: int) -> tuple[list[Line], str | None]:
    """One attack, and a row of the truth if it succeeds."""
    start, host = int(random.integers(100, span)), f"host{random.integers(1, hosts + 1)}"
    address, user = f"203.0.113.{number % 250}", f"victim{number}"
    wait = 90 if number % 5 == 4 else 6
    guesses = int(random.integers(8, 20))
    found = [(start + wait * index, failed(host, user, address)) for index in range(guesses)]
    if number % 3 == 2:
        return found, None
    inside = start + wait * guesses
    root = number % 2 == 0
    found += session(random, inside, host, user, address, root=root)
    known = wait < 60
    return found, f"{host},{user},{address},{'owned' if root else 'intruder'},{'yes' if known else 'no'}"


def log(hosts: int, users: int, attacks: int, span: int, seed: int) -> tuple[list[str], list[str]]:
    """The lines of the log, and the attacks: host, user, address, how far it got, whether the rules can find it."""
    random = np.random.default_rng(seed)
    found = list(work(random, span, hosts, users))
    truth = ["host,user,address,reached,found"]
    for number in range(attacks):
        lines, row = attack(random, number, span, hosts)
        found += lines
        truth += [row] if row else []
    texts = [f"{BEGIN + timedelta(seconds=time):%Y-%m-%dT%H:%M:%SZ} {text}" for time, text in sorted(found)]
    for place in random.integers(0, len(texts), max(2, len(texts) // 100)).tolist():
        texts.insert(place, texts[place][: int(random.integers(3, 30))])
    return texts, truth


def main() -> None:
    """Write a log and the truth about it."""
    options = argparse.ArgumentParser(description="An authentication log with attacks in it.")
    options.add_argument("--hosts", type=int, default=5)
    options.add_argument("--users", type=int, default=20)
    options.add_argument("--attacks", type=int, default=10)
    options.add_argument("--span", type=int, default=36_000, help="seconds")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--truth", type=Path, required=True)
    given = options.parse_args()
    texts, truth = log(given.hosts, given.users, given.attacks, given.span, given.seed)
    given.output.write_text("\n".join(texts) + "\n", encoding="utf-8")
    given.truth.write_text("\n".join(truth) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
