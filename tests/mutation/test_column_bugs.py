"""Bugs planted where arguments become columns, and the random programs and terms that notice them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from holdsfor.compiler.analysis import argument_kinds
from holdsfor.io import arguments
from holdsfor.io.columns import value_of_text
from holdsfor.syntax.printer import print_constant
from tests.property import test_argument_columns as properties

_kinds = argument_kinds._kinds

BUGS: dict[str, tuple[object, str, Any, Callable[[], None]]] = {
    "numbers in quotes are numbers": (
        arguments,
        "_simple",
        lambda text: value_of_text(text.strip("'")),
        properties.test_arguments_come_back,
    ),
    "commas inside quotes part arguments": (
        arguments,
        "_ONE",
        re.compile("[^,]+"),
        properties.test_arguments_come_back,
    ),
    "a name begins another": (
        arguments,
        "rows_named",
        lambda table, column, name: table.filter(
            pa.array([text.startswith(print_constant(name)) for text in table[column].to_pylist()])
        ),
        properties.test_rows_of_a_name,
    ),
    "compound terms have no kind": (
        argument_kinds,
        "_kinds",
        lambda term, known: _kinds(term, known) - {argument_kinds.ValueKind.TERM},
        properties.test_kinds_of_compound_arguments,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_properties_notice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, what, wrong, checked = BUGS[name]
    monkeypatch.setattr(owner, what, wrong)
    if what == "rows_named":
        monkeypatch.setattr(properties, what, wrong)
    with pytest.raises(BaseException):  # noqa: B017 -- an assertion, or several in a group
        checked()
