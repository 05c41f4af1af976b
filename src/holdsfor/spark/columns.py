"""Converts columns of a DataFrame to times, arguments and keys in Spark SQL, with the rules of local input.

Expressions are text, because text is cheap to create and can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import types as T  # noqa: N812 -- everyone's name for it

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import LATEST, UNITS

_ZONE = "[T ].*(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)$"
_WHOLE = "^[+-]?0*[0-9]{1,19}$"
_LONG = "^[+-]?[0-9]+$"
_REAL = "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_LEAST, _MOST = "-9223372036854775808L", "9223372036854775807L"
_INFINITE = "double('Infinity')"


@dataclass(frozen=True)
class Argument:
    """An argument column: its slot class and its expression, null if it is missing."""

    slot: str
    sql: str


def identifier(name: str) -> str:
    """A column name in SQL.

    >>> identifier("a`b")
    '`a``b`'
    """
    return f"`{name.replace('`', '``')}`"


def literal(value: object) -> str:
    """A constant in SQL.

    >>> literal("it's"), literal(True), literal(3)
    ("'it\\\\'s'", 'true', '3')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def argument(name: str, kind: T.DataType, *, untyped: bool) -> Argument:
    """A column as an argument. In `untyped` files, numbers are text too."""
    column = identifier(name)
    match kind:
        case T.LongType():
            return Argument("l", column)
        case T.ByteType() | T.ShortType() | T.IntegerType():
            return Argument("l", f"cast({column} as bigint)")
        case T.FloatType() | T.DoubleType():
            number = f"cast({column} as double)"
            return Argument("d", f"case when not isnan({number}) then {number} end")
        case T.DecimalType():
            # Text has all digits of integers beyond 64 bits.
            return Argument("u", f"cast({column} as string)")
        case T.StringType() if untyped:
            return Argument("u", f"nullif({column}, '')")
        case T.StringType():
            return Argument("s", column)
        case T.ArrayType() | T.MapType() | T.StructType() | T.NullType() | T.BinaryType():
            raise HoldsforError(f"column {name!r} has the type {kind.simpleString()}; arguments are numbers or text")
        case _:
            return Argument("s", f"cast({column} as string)")


def key_part(argument: Argument) -> str:
    """The key part of an argument: the same number as `keys.part` gives."""
    checksum = f"crc32(cast({argument.sql} as binary))"
    match argument.slot:
        case "l":
            return argument.sql
        case "d":
            number = argument.sql
            return (
                f"case when {number} = {_INFINITE} then crc32(cast('inf' as binary)) "
                f"when {number} = -{_INFINITE} then crc32(cast('- inf' as binary)) else {_floor(number)} end"
            )
        case "u":
            text = f"trim({argument.sql})"
            whole = f"case when {text} rlike '{_WHOLE}' then try_cast({text} as bigint) end"
            long = f"case when {text} rlike '{_LONG}' then if({text} like '-%', {_LEAST}, {_MOST}) end"
            number = f"try_cast({text} as double)"
            real = f"case when {text} rlike '{_REAL}' and abs({number}) < {_INFINITE} then {_floor(number)} end"
            return f"coalesce({whole}, {long}, {real}, {checksum})"
        case _:
            return checksum


def _floor(number: str) -> str:
    """The floor of a float; beyond 64 bits, the greatest or least integer."""
    return (
        f"case when {number} >= 9223372036854775807D then {_MOST} "
        f"when {number} <= -9223372036854775808D then {_LEAST} else floor({number}) end"
    )


def time(name: str, kind: T.DataType, unit: str) -> str:
    """A column of times as whole numbers, null for invalid values."""
    column = identifier(name)
    match kind:
        case T.ByteType() | T.ShortType() | T.IntegerType():
            return f"cast({column} as bigint)"
        case T.LongType():
            return _checked(column)
        case T.FloatType() | T.DoubleType() | T.DecimalType():
            number = f"cast({column} as double)"
            return _checked(f"case when floor({number}) = {number} then floor({number}) end")
        case T.TimestampType():
            return _checked(_in_unit(f"unix_micros({column})", unit))
        case T.TimestampNTZType():
            begin = "timestamp_ntz'1970-01-01 00:00:00'"
            return _checked(_in_unit(f"timestampdiff(MICROSECOND, {begin}, {column})", unit))
        case T.DateType():
            return _checked(_in_unit(f"(cast(unix_date({column}) as bigint) * 86400000000L)", unit))
        case T.StringType():
            # Times without a zone are UTC, in any zone of the session.
            text = f"trim({column})"
            there, begin = f"try_cast({text} as timestamp)", "timestamp_ntz'1970-01-01 00:00:00'"
            plain = f"timestampdiff(MICROSECOND, {begin}, try_cast({text} as timestamp_ntz))"
            moment = _in_unit(f"if({text} rlike '{_ZONE}', unix_micros({there}), {plain})", unit)
            return _checked(f"coalesce(try_cast({text} as bigint), {moment})")
        case _:
            raise HoldsforError(
                f"column {name!r} has the type {kind.simpleString()}; times are whole numbers or timestamps"
            )


def _checked(sql: str) -> str:
    return f"case when {sql} between -{LATEST}L and {LATEST}L then {sql} end"


def _in_unit(micros: str, unit: str) -> str:
    """Microseconds as whole numbers of a unit, rounded down."""
    if unit == "ns":
        return f"{micros} * 1000L"
    size = UNITS[unit] // 1_000
    return f"({micros} - pmod({micros}, {size}L)) div {size}L" if size > 1 else micros


def is_open(name: str, kind: T.DataType) -> str:
    """Whether the end of an interval is missing or infinite."""
    column = identifier(name)
    if isinstance(kind, T.FloatType | T.DoubleType):
        return f"({column} is null or isnan({column}) or {column} = double('Infinity'))"
    if isinstance(kind, T.StringType):
        return f"({column} is null or trim({column}) in ('', 'inf', 'infinity'))"
    return f"({column} is null)"
