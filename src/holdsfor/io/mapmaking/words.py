"""Compares names of columns, events and variables by words: `userId`, `user_id` and `User` share words."""

from __future__ import annotations

import re
from collections.abc import Collection

from holdsfor.compiler.analysis.argument_names import snake_case
from holdsfor.io.nested import steps_of

_STEM = 4
"""The length of a common prefix of words with the same meaning, such as `order` and `ordered`."""


def words(name: str) -> list[str]:
    """The words of a name or of a path.

    >>> words("userId"), words("user.id"), words("Event-Type")
    (['user', 'id'], ['user', 'id'], ['event', 'type'])
    """
    return [word for word in re.split(r"[^a-z0-9]+", snake_case(name)) if word]


def same(one: str, other: str) -> bool:
    """Whether two names consist of the same letters.

    >>> same("addToCart", "add_to_cart"), same("add", "added")
    (True, False)
    """
    return "".join(words(one)) == "".join(words(other)) != ""


def kinship(name: str, value: str) -> int:
    """The similarity of an event name to a value in the rows; 0 means none.

    >>> kinship("added", "cart.added"), kinship("ordered", "order.placed"), kinship("login", "LogIn"), kinship("a", "b")
    (3, 1, 5, 0)
    """
    if same(name, value):
        return 5
    wanted, there = words(name), words(value)
    if wanted and there and (set(wanted) <= set(there) or set(there) <= set(wanted)):
        return 3
    pairs = [(one, other) for one in wanted for other in there if min(len(one), len(other)) >= _STEM]
    return int(any(one.startswith(other) or other.startswith(one) for one, other in pairs))


def atom(text: str, reserved: Collection[str] = ()) -> str:
    """A valid atom for a text that is not in `reserved`.

    >>> atom("Add to cart"), atom("7-up"), atom("log in", {"log_in"})
    ('add_to_cart', 'event_7_up', 'log_in_2')
    """
    plain = "_".join(words(text)) or "event"
    plain = plain if plain[0].isalpha() else f"event_{plain}"
    name, count = plain, 1
    while name in reserved:
        count += 1
        name = f"{plain}_{count}"
    return name


def likeness(variable: str, path: str) -> int:
    """The similarity of a variable name to a column name; 0 means none.

    >>> likeness("UserId", "user.id"), likeness("User", "user.id"), likeness("U", "user"), likeness("Area", "user")
    (5, 3, 1, 0)
    """
    wanted, there = words(variable), words(path)
    last = words(str((steps_of(path) or (path,))[-1]))
    if not wanted or not there:
        return 0
    if wanted == there:
        return 5
    if wanted == last:
        return 4
    if wanted == there[: len(wanted)] or there == wanted[: len(there)]:
        return 3
    if set(wanted) & set(there):
        return 2
    return 1 if len(wanted) == 1 and len(wanted[0]) == 1 and there[0].startswith(wanted[0]) else 0
