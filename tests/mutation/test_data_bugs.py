"""Bugs planted in how data is read and mapped: random tables find each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdsfor.io import nested, typed
from holdsfor.io.columns import text_times
from holdsfor.io.formats import json_files
from holdsfor.io.mapmaking import kind_guess, made, sample, time_guess, toml_text
from tests.property import test_mapmaking as maps
from tests.unit.io import test_nested as paths

element = nested._element


def next_element(column: Any, place: int) -> Any:
    return element(column, place + 1)


def first_member(column: Any, _name: str) -> Any:
    return pc.struct_field(column, 0) if pa.types.is_struct(column.type) and column.type.num_fields else None


def no_gaps(one: Any, _path: str) -> Any:
    return np.zeros(one.rows, np.bool_)


def first_decides(column: Any, unit: str) -> Any:
    return text_times(column) if column[0].as_py().isdigit() else found_mixed(column, unit)


found_mixed = typed._from_mixed_text
IN_JSON = maps.test_json, [maps.tables(is_nested=True), st.sampled_from(["lines", "array", "pretty", "inside"])]
IN_CSV = maps.test_csv, [maps.tables(is_nested=False), st.sampled_from(",;\t|")]
IN_ARROW = paths.test_columns_have_what_the_values_have, [st.lists(paths.VALUES, min_size=1, max_size=4), paths.STEPS]
BUGS: list[tuple[str, Any, str, Any, tuple[Any, list[Any]]]] = [
    ("an element is the one after it", nested, "_element", next_element, IN_ARROW),
    ("a member is the first one", nested, "_member", first_member, IN_ARROW),
    ("columns with gaps become arguments", sample.Sample, "gaps", no_gaps, IN_CSV),
    ("lists become arguments", sample.Sample, "is_argument", lambda *_: True, IN_JSON),
    ("every column of whole numbers is right as a time", sample.TimesOf, "is_usable", True, IN_CSV),
    ("text is not escaped", made, "text", lambda value: f'"{value}"', IN_JSON),
    ("keys are not quoted", made, "key", lambda name: name, IN_JSON),
    ("a comment may run over lines", toml_text, "comment", lambda said: f"# {said}", IN_JSON),
    ("fields are always separated by commas", sample, "_agreement", lambda _, one: (one == ",", 0), IN_CSV),
    ("the first text of a column decides for all", typed, "_from_text", first_decides, IN_CSV),
    ("names of kinds collide", made, "atom", lambda _text, _taken=(): "event", IN_CSV),
]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "name", "wrong", "tried"), [bug[1:] for bug in BUGS], ids=[bug[0] for bug in BUGS])
def test_planted_bugs_are_found(
    where: Any, name: str, wrong: Callable[..., Any], tried: tuple[Any, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (where, made, kind_guess, time_guess, json_files):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, wrong)
    check, strategies = tried
    with pytest.raises(Exception):  # noqa: B017 -- whatever goes wrong shows the bug
        tried_out: Any = given(*strategies)(check.hypothesis.inner_test)  # type: ignore[no-untyped-call]
        settings(phases=(Phase.generate,), max_examples=1_000, database=None, deadline=None)(tried_out)()
