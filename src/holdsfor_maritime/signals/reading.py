"""CSV files of the public form, read in pieces of some megabytes. Malformed lines are kept as text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.streaming.store import place_of
from holdsfor_maritime.columns import COLUMNS
from holdsfor_maritime.signals.cleaning import malformed, parsed

_PIECE = 24 * 2**20
_WHOLE = ("sourcemmsi", "t")
_NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
_INTEGER = r"^\s*[-+]?\d{1,18}\s*$"


@dataclass(frozen=True)
class FilePiece:
    """Lines of a file that begin between two of its bytes; `header` is its first line."""

    path: str
    begin: int
    end: int
    header: str


def pieces(dataset: str | Path) -> list[FilePiece]:
    """The pieces of `nari_dynamic.csv`, or of the files in `nari_dynamic/`."""
    found = []
    for path in _files(str(dataset)):
        system, name = place_of(path)
        size = system.get_file_info(name).size
        if not size:
            continue
        with system.open_input_stream(name) as file:
            header = _first_line(file.read(4096))
        _check_header(header, path)
        edges = [*range(0, size, _PIECE), size]
        found += [FilePiece(path, begin, end, header) for begin, end in pairwise(edges)]
    return found


def _files(dataset: str) -> list[str]:
    system, root = place_of(dataset)
    from pyarrow import fs

    one = system.get_file_info(f"{root}/nari_dynamic.csv")
    if one.type == fs.FileType.File:
        return [f"{dataset}/nari_dynamic.csv"]
    parts = system.get_file_info(fs.FileSelector(f"{root}/nari_dynamic", allow_not_found=True))
    names = sorted(info.base_name for info in parts if info.base_name.endswith(".csv"))
    if not names:
        raise HoldsforError(f"there is neither nari_dynamic.csv nor nari_dynamic/ with CSV files in {dataset}")
    return [f"{dataset}/nari_dynamic/{name}" for name in names]


def _first_line(data: bytes) -> str:
    return data.partition(b"\n")[0].decode("utf-8", "replace").strip().lstrip("\ufeff")


def _check_header(header: str, path: str) -> None:
    missing = set(COLUMNS) - {name.strip().strip('"') for name in header.split(",")}
    if missing:
        raise HoldsforError(f"{path} has no column {', '.join(sorted(missing))} in its first line")


def read_piece(piece: FilePiece) -> tuple[pa.Table, pa.Table]:
    """The rows of a piece, and what could not be read."""
    data = _lines(piece)
    names = [name.strip().strip('"') for name in piece.header.split(",")]
    if not data.size:
        return parsed(pa.table({name: pa.array([], pa.float64()) for name in names}))
    try:
        return parsed(_typed(data, names))
    except pa.ArrowInvalid:
        # Some field is no number, which Arrow does not survive: look at every field as text.
        return _checked(data, names)


def _lines(piece: FilePiece) -> pa.Buffer:
    """The lines that begin inside a piece, from the first line break to one after its end."""
    system, name = place_of(piece.path)
    with system.open_input_file(name) as file:
        # A line that begins at the very first byte belongs to this piece, hence one byte more.
        begin = max(piece.begin - 1, 0)
        data = file.read_at(piece.end - begin, begin)
        start = data.find(b"\n") + 1
        if start == 0:
            return pa.py_buffer(b"")
        rest = b""
        at = piece.end
        while not (data.endswith(b"\n") or b"\n" in rest) and (more := file.read_at(65_536, at)):
            rest += more
            at += len(more)
    tail = rest[: rest.find(b"\n") + 1] if b"\n" in rest else rest
    whole = data + tail if tail else data
    return pa.py_buffer(whole).slice(start)


def _options(names: list[str], kinds: dict[str, pa.DataType], invalid_lines: list[str]) -> dict[str, object]:
    def set_aside(row: csv.InvalidRow) -> str:
        invalid_lines.append(row.text)
        return "skip"

    return {
        "read_options": csv.ReadOptions(column_names=names, use_threads=False, block_size=2**22),
        "parse_options": csv.ParseOptions(invalid_row_handler=set_aside),
        "convert_options": csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(COLUMNS),
            strings_can_be_null=True,
            null_values=["", "NULL", "null"],
        ),
    }


def _typed(data: pa.Buffer, names: list[str]) -> pa.Table:
    """The quick way, for a piece in which every row has all fields and every field is a number."""
    kinds = {name: pa.int64() if name in _WHOLE else pa.float64() for name in names}
    invalid_lines: list[str] = []
    found = csv.read_csv(pa.BufferReader(data), **_options(names, kinds, invalid_lines))
    if invalid_lines:
        raise pa.ArrowInvalid("rows of another length")
    return found


def _checked(data: pa.Buffer, names: list[str]) -> tuple[pa.Table, pa.Table]:
    invalid_lines: list[str] = []
    text = csv.read_csv(pa.BufferReader(data), **_options(names, dict.fromkeys(names, pa.string()), invalid_lines))
    good = np.ones(len(text), np.bool_)
    for name in COLUMNS:
        fits = pc.match_substring_regex(text[name], _INTEGER if name in _WHOLE else _NUMBER)
        good &= pc.fill_null(fits, fill_value=True).to_numpy()
    kept = text.filter(pa.array(good))
    columns = {
        name: pc.utf8_trim_whitespace(kept[name]).cast(pa.int64() if name in _WHOLE else pa.float64())
        for name in COLUMNS
    }
    rows, lacking = parsed(pa.table(columns))
    bad = text.filter(pa.array(~good))
    lines = [",".join("" if value is None else value for value in row.values()) for row in bad.to_pylist()]
    return rows, pa.concat_tables((lacking, malformed(pa.array([*lines, *invalid_lines], pa.string()))))


def static_types(dataset: str | Path) -> pa.Table:
    """The background `vesselType` of `nari_static.csv`: vessel, type. The last word of a vessel on its type counts."""
    system, root = place_of(str(dataset))
    from pyarrow import fs

    name = f"{root}/nari_static.csv"
    if system.get_file_info(name).type != fs.FileType.File:
        return pa.table({"vessel": pa.array([], pa.int64()), "type": pa.array([], pa.string())})
    with system.open_input_stream(name) as file:
        text = csv.read_csv(
            file,
            parse_options=csv.ParseOptions(invalid_row_handler=lambda _row: "skip"),
            convert_options=csv.ConvertOptions(
                include_columns=["sourcemmsi", "shiptype"],
                column_types={"sourcemmsi": pa.string(), "shiptype": pa.string()},
            ),
        )
    good = pc.match_substring_regex(text["sourcemmsi"], _INTEGER)
    text = text.filter(good)
    vessel = pc.utf8_trim_whitespace(text["sourcemmsi"]).cast(pa.int64()).to_numpy()
    shown = pc.match_substring_regex(text["shiptype"], r"^\s*\d{1,3}(\.0*)?\s*$").fill_null(False).to_numpy()
    code = np.full(len(vessel), -1)
    digits = pc.extract_regex(text["shiptype"].filter(pa.array(shown)), r"^\s*(?P<code>\d{1,3})")
    code[shown] = pc.struct_field(digits, "code").cast(pa.int64()).to_numpy()
    # Vessels with any known type first; of those the last row.
    order = np.lexsort((np.arange(len(vessel)), code >= 0, vessel))
    last = order[np.flatnonzero(np.append(np.diff(vessel[order]) != 0, True))] if len(order) else order
    return pa.table({"vessel": vessel[last], "type": type_names(code[last])})


def type_names(code: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Array:
    """AIS numbers of types as words."""
    tens = code // 10
    names = np.select(
        [code == 30, np.isin(code, (31, 32, 52)), code == 50, code == 51, tens == 6, tens == 7, tens == 8],
        ["fishing", "tug", "pilot", "sar", "passenger", "cargo", "tanker"],
        "other",
    )
    return pa.array(names.tolist(), pa.string())
