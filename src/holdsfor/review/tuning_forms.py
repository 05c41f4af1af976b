"""A tuning as text, Markdown, plain data and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.review.backtest_forms import percent
from holdsfor.review.diff_markdown import table
from holdsfor.review.diff_text import aligned
from holdsfor.review.scoring import Score

if TYPE_CHECKING:
    from holdsfor.review.tuning import TunedSetting, Tuning


def measures(score: Score, by: str) -> tuple[float, float, float]:
    """Precision, recall and F1 as they are chosen by."""
    if by == "time":
        return score.time_precision, score.time_recall, score.time_f1
    return score.precision, score.recall, score.f1


def values_text(found: Tuning, one: TunedSetting) -> str:
    """`limit(4)`, with the value in the place of the range."""
    names = (parameter.name for parameter in found.parameters)
    return ", ".join(name.replace("…", number_text(value)) for name, value in zip(names, one.values, strict=True))


def ranked(found: Tuning) -> list[TunedSetting]:
    """The settings with the highest F1 on the earlier part first."""
    best = found.best
    others = [one for one in found.settings if one is not best]
    return [best, *sorted(others, key=lambda one: -_known(measures(one.fit, found.by)[2]))]


def _known(number: float) -> float:
    return 0.0 if math.isnan(number) else number


def rows(found: Tuning, limit: int) -> list[list[str]]:
    """The present setting and the best ones as rows of text, a head first."""
    head = ["setting", "precision", "recall", "F1", "held out: precision", "recall", "F1"]
    listed = [("now ", found.current), *(("", one) for one in ranked(found)[:limit])]
    body = [
        [
            f"{before}{values_text(found, one)}",
            *map(percent, measures(one.fit, found.by)),
            *map(percent, measures(one.held, found.by)),
        ]
        for before, one in listed
    ]
    return [head, *body]


def headline(found: Tuning) -> str:
    """The tuning in a sentence."""
    best = found.best
    now, then = (percent(measures(one.held, found.by)[2]) for one in (found.current, best))
    return (
        f"best of {len(found.settings):,} settings: {values_text(found, best)}; F1 by {found.by} is "
        f"{percent(measures(best.fit, found.by)[2])} before {found.cut}, where it was chosen, and {then} after that "
        f"(now {now})"
    )


def tuning_text(found: Tuning, limit: int) -> str:
    """The best settings, for a terminal."""
    return "\n".join(_text_lines(found, limit)) + "\n"


def _text_lines(found: Tuning, limit: int) -> Iterator[str]:
    yield headline(found)
    yield from (f"note: {note}" for note in found.notes)
    yield ""
    yield from aligned(rows(found, limit))
    if len(found.settings) > limit:
        yield f"… and {len(found.settings) - limit:,} more settings"


def tuning_markdown(found: Tuning, limit: int) -> str:
    """The same as Markdown."""
    lines = ["### Which constants agree best with the labels", "", f"**{headline(found)}**", ""]
    lines += [f"{note}\n" for note in found.notes]
    return "\n".join([*lines, *table(rows(found, limit))]) + "\n"


def tuning_data(found: Tuning) -> dict[str, Any]:
    """Everything as plain data."""
    from holdsfor.review.tuning import SCHEMA

    return {
        "schema": SCHEMA,
        "by": found.by,
        "cut": found.cut,
        "notes": found.notes,
        "parameters": [
            {"name": one.name, "low": float(one.low), "high": float(one.high), "current": float(one.current)}
            for one in found.parameters
        ],
        "current": _setting(found.current),
        "best": _setting(found.best),
        "settings": [_setting(one) for one in found.settings],
    }


def _setting(one: TunedSetting) -> dict[str, Any]:
    return {"values": list(one.numbers), "fit": _score(one.fit), "held_out": _score(one.held)}


_PARTS = ("precision", "recall", "f1", "time_precision", "time_recall", "time_f1")


def _score(found: Score) -> dict[str, float | None]:
    numbers = {name: getattr(found, name) for name in _PARTS}
    return {name: None if math.isnan(number) else number for name, number in numbers.items()}


def tuning_csv(found: Tuning) -> str:
    """All settings, a row each."""
    names: Sequence[str] = [parameter.name for parameter in found.parameters]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *(f"fit_{part}" for part in _PARTS), *(f"held_out_{part}" for part in _PARTS)])
    for one in found.settings:
        scores = [*_score(one.fit).values(), *_score(one.held).values()]
        writer.writerow([*one.numbers, *("" if score is None else score for score in scores)])
    return text.getvalue()
