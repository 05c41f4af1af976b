"""Descriptions that depend on themselves: NetBill and voting."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from benchmarks.suite.workload import EXAMPLES

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, Stream
from holdsfor.compiler.analysis.entities import EntityKind, Symbol


def _event(dictionary: Dictionary, name: str, args: list[Ints], time: Ints) -> tuple[Symbol, EventColumns]:
    columns = tuple(dictionary.encode_numbers(column) for column in args)
    return Symbol(EntityKind.EVENT, name, len(args)), EventColumns(columns, time, time)


def netbill(dictionary: Dictionary, agents: int, events: int, span: int) -> Stream:
    """Random messages between agents about a few goods."""
    random = np.random.default_rng(2)
    shapes = {"request_quote": 3, "present_quote": 4, "accept_quote": 3, "settle": 3, "report_breach": 4}
    stream = Stream()
    for name, arity in shapes.items():
        count = events // len(shapes)
        args = [
            random.integers(0, agents, count),
            random.integers(0, agents, count),
            random.integers(1000, 1010, count),
        ]
        if name == "report_breach":
            args = [args[0], *args]
        elif arity == 4:
            args.append(random.integers(2000, 2005, count))
        symbol, table = _event(dictionary, name, args, np.sort(random.integers(0, span, count)))
        stream.events[symbol] = table
    return stream


def voting_rules(chairs: list[str], motions: list[str]) -> str:
    """The voting example for a committee in which everybody votes: power is then a matter of the motion alone."""
    text = (EXAMPLES / "voting" / "rules.prolog").read_text()
    rules = text[: text.index("% --- the committee")]
    for action in ("propose", "second", "vote"):
        rules = rules.replace(f"pow({action}(Agent, Motion))", f"pow({action}(Motion))")
    rules = rules.replace("    role_of(Agent, voter),\n", "")
    facts = [f"motion({motion})." for motion in motions] + [f"role_of({chair}, chair)." for chair in chairs]
    return rules + "\n".join(facts)


def read_rows(path: str) -> list[str]:
    """The rows of a file, packed or not."""
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode().splitlines()
