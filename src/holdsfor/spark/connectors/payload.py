"""Converts JSON payloads of messages to columns, and rows to messages, inside Spark, for any source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType, StringType, StructType

from holdsfor.diagnostics import HoldsforError

MALFORMED = "_malformed"
_SPARK_NAMES_IT = "_corrupt_record"
_PARSED = "_parsed"


def json_columns(
    schema: str | StructType, payload: str = "value", keep: Sequence[str] = ()
) -> Callable[[DataFrame], DataFrame]:
    """For `transform`: the fields of a JSON object as columns, and `_malformed` with the text of what is none.

    A field that is missing is null. A payload that is no JSON object, or has a field of another type, keeps its row:
    its text is in `_malformed` and its columns are null. `keep` names columns of the messages to go along.
    """
    fields = struct_of(schema)
    if MALFORMED in fields.names:
        raise HoldsforError(f"the schema of the payload must not name {MALFORMED!r}: it is added")
    wanted = StructType([*fields.fields]).add(MALFORMED, StringType())

    def transform(frame: DataFrame) -> DataFrame:
        _require(frame, [payload, *keep])
        text = F.make_valid_utf8(F.col(f"`{payload}`").cast("string"))
        # Objects only: Spark would read the first element of a list as the object.
        parsed = F.when(
            F.ltrim(text, F.lit(" \t\r\n")).startswith("{"),
            F.from_json(text, wanted, {"columnNameOfCorruptRecord": MALFORMED, "mode": "PERMISSIVE"}),
        )
        found = frame.withColumns({_PARSED: parsed, MALFORMED: F.coalesce(text, F.lit(""))})
        is_bad = F.col(_PARSED).isNull() | F.col(f"{_PARSED}.{MALFORMED}").isNotNull()
        columns = [F.when(~is_bad, F.col(f"{_PARSED}.`{name}`")).alias(name) for name in fields.names]
        kept = [F.col(f"`{name}`") for name in keep]
        return found.select(*columns, *kept, F.when(is_bad, F.col(MALFORMED)).alias(MALFORMED))

    return transform


def unreadable_column(columns: Sequence[str]) -> str | None:
    """The column with the text of malformed rows: ours, or the one that Spark adds."""
    return next((name for name in (MALFORMED, _SPARK_NAMES_IT) if name in columns), None)


def well_formed(frame: DataFrame) -> DataFrame:
    """The valid rows, without `_malformed`."""
    return frame.filter(F.col(MALFORMED).isNull()).drop(MALFORMED)


def malformed(frame: DataFrame) -> DataFrame:
    """The malformed rows."""
    return frame.filter(F.col(MALFORMED).isNotNull())


def kafka_messages(key: str | None = "id", topic: str | None = None) -> Callable[[DataFrame], DataFrame]:
    """For `transform`: every row as a message, `value` the row as JSON, `key` one of its columns.

    With the interval's id as the key, all changes of an interval go to one partition, in order, and a compacted topic
    keeps the last. `topic` names a column with the topic; without it the sink's option counts.
    """

    def transform(frame: DataFrame) -> DataFrame:
        _require(frame, [name for name in (key, topic) if name is not None])
        columns = [_as_json(frame).alias("value")]
        if key is not None:
            columns.insert(0, F.col(f"`{key}`").cast("string").alias("key"))
        if topic is not None:
            columns.append(F.col(f"`{topic}`").cast("string").alias("topic"))
        return frame.select(*columns)

    return transform


def nats_messages(subject: str | Column, identity: Sequence[str] | None = ()) -> Callable[[DataFrame], DataFrame]:
    """For `transform`: every row as a message, `value` the row as JSON, `message_id` what JetStream de-duplicates by.

    `subject` is the subject itself or a column expression. The id is a digest of the columns in `identity`, of all
    columns if there are none, which suits a changelog: no two of its rows are equal. Where equal rows are meant, name
    columns that tell them apart, or give None: messages without an id may come twice after a failure.
    """
    where = F.lit(subject) if isinstance(subject, str) else subject

    def transform(frame: DataFrame) -> DataFrame:
        columns = [where.alias("subject"), _as_json(frame).alias("value")]
        if identity is not None:
            _require(frame, identity)
            named = [F.col(f"`{name}`") for name in (identity or frame.columns)]
            content = F.to_json(F.struct(*named), {"ignoreNullFields": "false"})
            columns.append(F.sha2(F.concat_ws("\n", where, content), 256).alias("message_id"))
        return frame.select(*columns)

    return transform


def subject_of(prefix: str, *columns: str) -> Column:
    """A subject of a prefix and columns; special characters of subjects become `_`."""
    tokens = [F.regexp_replace(F.col(f"`{name}`").cast("string"), r"[.*>\s]", "_") for name in columns]
    return reduce(lambda made, token: F.concat(made, F.lit("."), F.coalesce(token, F.lit("_"))), tokens, F.lit(prefix))


def _as_json(frame: DataFrame) -> Column:
    """The row as an object with explicit nulls, so that an open end differs from a missing field."""
    return F.to_json(F.struct(*(F.col(f"`{name}`") for name in frame.columns)), {"ignoreNullFields": "false"})


def struct_of(schema: str | StructType) -> StructType:
    """A schema, given as a schema or as text."""
    found = schema if isinstance(schema, StructType) else DataType.fromDDL(schema)
    if not isinstance(found, StructType):
        raise HoldsforError(f"a schema names columns, as in 'vessel string, at bigint'; this is {schema!r}")
    return found


def _require(frame: DataFrame, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise HoldsforError(f"there is no column {missing[0]!r}; there are {', '.join(frame.columns)}")
