"""Records: what the standard library's frozen data classes with slots are."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace

import pytest

from holdsfor.records import record


@record
class Place:
    """A place."""

    name: str
    line: int = 0
    note: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.name}:{self.line}"


@dataclass(frozen=True, slots=True)
class Standard:
    name: str
    line: int = 0
    note: str = field(default="", compare=False, repr=False)


@record
class Nothing:
    """Without fields."""


@record
class Rounded:
    """With an equality of its own."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", round(self.value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rounded) and abs(self.value - other.value) <= 1

    def __hash__(self) -> int:
        return 0


def test_as_the_standard_library_has_it() -> None:
    one, two = Place("a", 3, "x"), Standard("a", 3, "x")
    assert repr(one) == repr(two).replace("Standard", "Place")
    assert [part.name for part in fields(one)] == [part.name for part in fields(two)]
    assert (
        is_dataclass(one) and Place.__match_args__ == Standard.__match_args__ and Place.__slots__ == Standard.__slots__
    )
    assert str(replace(one, line=4)) == "a:4"
    assert not hasattr(one, "__dict__")


def test_equality() -> None:
    assert Place("a", 3, "x") == Place("a", 3, "y") != Place("a", 4)
    assert hash(Place("a", 3, "x")) == hash(Place("a", 3))
    assert Place("a") != Standard("a")
    assert Nothing() == Nothing() and hash(Nothing()) == hash(Nothing())
    assert Rounded(1.2) == Rounded(2.1) != Rounded(5) and hash(Rounded(7)) == 0


def test_frozen() -> None:
    one = Place("a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'line'"):
        one.line = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'line'"):
        del one.line
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]


def test_copies() -> None:
    one = Place("a", 3, "x")
    for made in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert made == one and made.note == "x"


def test_patterns() -> None:
    match Place("a", 3):
        case Place(name, line=3):
            assert name == "a"
        case _:
            pytest.fail()
