"""Columns of a DataFrame as times, arguments and keys: the rules of local input, as expressions of Spark SQL."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 -- everyone's name for it
from pyspark.sql import types as T  # noqa: N812

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.columns import LATEST
from holdsfor.io.typed import UNITS

_WHOLE = r"^\s*[+-]?[0-9]{1,19}\s*$"
_REAL = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"


@dataclass(frozen=True)
class Argument:
    """An argument column: its slot class and its expression, null where it is missing."""

    slot: str
    column: Column


def argument(column: Column, kind: T.DataType, name: str, *, untyped: bool) -> Argument:
    """A column as an argument. In files without types, numbers are text too (`untyped`)."""
    match kind:
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return Argument("l", column.cast("bigint"))
        case T.FloatType() | T.DoubleType() | T.DecimalType():
            number = column.cast("double")
            return Argument("d", F.when(~F.isnan(number), number))
        case T.StringType() if untyped:
            return Argument("u", F.when(column != "", column))
        case T.StringType():
            return Argument("s", column)
        case T.ArrayType() | T.MapType() | T.StructType() | T.NullType() | T.BinaryType():
            raise HoldsforError(f"column {name!r} has the type {kind.simpleString()}; arguments are numbers or text")
        case _:
            return Argument("s", column.cast("string"))


def key_part(argument: Argument) -> Column:
    """The part of a key that an argument is: the same number as `keys.part` gives."""
    column = argument.column
    match argument.slot:
        case "l":
            return column
        case "d":
            return F.floor(column)
        case "u":
            whole = F.when(column.rlike(_WHOLE), F.trim(column).try_cast("bigint"))
            real = F.when(column.rlike(_REAL), F.floor(F.trim(column).try_cast("double")))
            return F.coalesce(whole, real, _checksum(column))
        case _:
            return _checksum(column)


def _checksum(column: Column) -> Column:
    return F.crc32(column.cast("binary"))


def time(column: Column, kind: T.DataType, unit: str, name: str) -> Column:
    """A column of times as whole numbers, null where it is none."""
    found = _time(column, kind, unit, name)
    return F.when(found.between(-LATEST, LATEST), found)


def _time(column: Column, kind: T.DataType, unit: str, name: str) -> Column:
    match kind:
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return column.cast("bigint")
        case T.FloatType() | T.DoubleType() | T.DecimalType():
            number = column.cast("double")
            return F.when(F.floor(number).cast("double") == number, F.floor(number))
        case T.TimestampType():
            return _in_unit(F.unix_micros(column), unit)
        case T.TimestampNTZType():
            begin = F.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
            return _in_unit(F.timestamp_diff("MICROSECOND", begin, column), unit)
        case T.DateType():
            return _in_unit(F.unix_date(column).cast("bigint") * 86_400_000_000, unit)
        case T.StringType():
            moment = F.unix_micros(F.trim(column).try_cast("timestamp"))
            return F.coalesce(F.trim(column).try_cast("bigint"), _in_unit(moment, unit))
        case _:
            raise HoldsforError(
                f"column {name!r} has the type {kind.simpleString()}; times are whole numbers or timestamps"
            )


def _in_unit(micros: Column, unit: str) -> Column:
    """Microseconds as whole numbers of a unit, rounded down."""
    if unit == "ns":
        return micros * 1_000
    size = UNITS[unit] // 1_000
    return F.floor((micros - F.pmod(micros, F.lit(size))) / size) if size > 1 else micros


def is_open(column: Column, kind: T.DataType) -> Column:
    """Whether the end of an interval is missing or infinite."""
    gap = column.isNull()
    if isinstance(kind, T.FloatType | T.DoubleType):
        return gap | F.isnan(column) | (column == float("inf"))
    if isinstance(kind, T.StringType):
        return gap | F.trim(column).isin("", "inf", "infinity")
    return gap
