"""Scores rules that were written from words: how well the intervals that they find agree with those that are expected.

    python benchmarks/authoring/score.py ANSWERS [--json]

ANSWERS is a folder with a file for each situation, such as `01-door.prolog`. Texts are never compared.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.testing.engines import found_at
from holdsfor.testing.notation import Found, events, expectations

HERE = Path(__file__).parent
AFTER = 20
"""Intervals without an end count up to so many time-points after the last event."""
_BLOCK = re.compile(r"```(events|expected)\n(.*?)```", re.DOTALL)
_OUTPUT = re.compile(r"(\w+)\([^)]*\)(?:=(\w+))?")
Points = dict[str, set[int]]
"""The time-points of everything that holds or happens."""


@dataclass(frozen=True)
class Situation:
    """What is to be recognised: the words, and the stream and intervals that only the scorer sees."""

    name: str
    words: str
    stream: str
    expected: str

    @property
    def outputs(self) -> set[tuple[str, str | None]]:
        """Names and values that count; None for any value, and for events."""
        line = next(line for line in self.words.splitlines() if line.startswith("Output:"))
        found = _OUTPUT.findall(line.removeprefix("Output:"))
        return {(name, value if value and value[0].islower() else None) for name, value in found}


@dataclass(frozen=True)
class Score:
    """Agreement by time-points. `problem` is why there is none."""

    name: str
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    is_exact: bool = False
    problem: str = ""


def situations() -> list[Situation]:
    """All situations, in order."""
    found = []
    for file in sorted((HERE / "situations").glob("*.md")):
        blocks = dict(_BLOCK.findall((HERE / "hidden" / file.name).read_text(encoding="utf-8")))
        found.append(Situation(file.stem, file.read_text(encoding="utf-8"), blocks["events"], blocks["expected"]))
    return found


def score(one: Situation, rules: str) -> Score:
    """How well rules agree with what is expected of a situation."""
    try:
        tables = events(one.stream)
        reasoner = loads(rules)
        known = {symbol.name for symbol in reasoner.plan.inputs}
        # Rules may do without some of the input.
        result = reasoner.recognise({name: rows for name, rows in tables.items() if name in known})
        found = found_at(None, result.to_arrow(points=True), result.derived_event_points)
    except ProgramError as problem:
        return Score(one.name, problem=problem.diagnostics[0].render().splitlines()[0])
    except HoldsforError as problem:
        return Score(one.name, problem=str(problem).splitlines()[0])
    last = AFTER + max(row.get("time", row.get("end", 0)) for rows in tables.values() for row in rows)
    right = _points({each.what: list(each.times) for each in expectations(one.expected)}, one, last)
    got = _points(found, one, last)
    pairs = {(what, time) for what, times in right.items() for time in times}
    hits = {(what, time) for what, times in got.items() for time in times}
    both = len(pairs & hits)
    precision = both / len(hits) if hits else float(not pairs)
    recall = both / len(pairs) if pairs else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(one.name, precision, recall, f1, pairs == hits)


def _points(found: Found, one: Situation, last: int) -> Points:
    points: Points = {}
    for what, times in found.items():
        name, _, value = what.partition("=")
        name = name.partition("(")[0]
        if (name, None) not in one.outputs and (name, value) not in one.outputs:
            continue
        held = points.setdefault(what, set())
        for text in times:
            span = re.fullmatch(r"\[(-?\d+|-inf),(\d+|inf)\)", text)
            if span is None:
                held.add(int(text))
            else:
                start = 0 if span[1] == "-inf" else int(span[1])
                held.update(range(start, last if span[2] == "inf" else min(last, int(span[2]))))
    return points


def score_all(folder: Path) -> list[Score]:
    """The scores of a folder of answers; one that is missing scores nothing."""
    found = []
    for one in situations():
        answer = folder / f"{one.name}.prolog"
        if answer.is_file():
            found.append(score(one, answer.read_text(encoding="utf-8")))
        else:
            found.append(Score(one.name, problem="no answer"))
    return found


def main(words: list[str]) -> int:
    """Print the scores of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    scores = score_all(given.answers)
    mean = sum(one.f1 for one in scores) / len(scores)
    exact = sum(one.is_exact for one in scores)
    if given.json:
        print(json.dumps({"f1": mean, "exact": exact, "of": len(scores), "scores": [asdict(one) for one in scores]}))
        return 0
    for one in scores:
        print(f"{one.name:24} {one.f1:5.2f}  {'exact' if one.is_exact else one.problem}")
    print(f"{'all':24} {mean:5.2f}  {exact} of {len(scores)} exact")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
