"""Files, standard input, compression and odd bytes."""

import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from holdsfor import HoldsforError
from holdsfor.io.sources import blocks


def read(path: Path, size: int = 8) -> bytes:
    pieces = list(blocks(path, size))
    assert all(piece.endswith(b"\n") for piece in pieces)
    return b"".join(pieces)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("text", [b"", b"a", b"a\n", b"ab\ncdefghijklmnop\nq", b"\n\n\nx\n\n"])
def test_pieces_are_whole_lines(tmp_path: Path, text: bytes, size: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(text)
    assert read(path, size) == (text if not text or text.endswith(b"\n") else text + b"\n")


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_line_breaks_of_windows(tmp_path: Path, size: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\r\nb\r\nc")
    assert read(path, size) == b"a\nb\nc\n"


def test_gzip_is_recognised_by_its_bytes_and_may_have_several_members(tmp_path: Path) -> None:
    path = tmp_path / "no-ending"
    path.write_bytes(gzip.compress(b"a\nb\n") + gzip.compress(b"c\n"))
    assert read(path) == b"a\nb\nc\n"


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfa|1\n")
    assert read(path, 100) == b"a|1\n"


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("é|".encode() + b"\xff\xfe\n")
    assert read(path, 100).decode() == "é|\ufffd\ufffd\n"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(b"a\nb"))))
    assert b"".join(blocks("-")) == b"a\nb\n"


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="cannot read .*: No such file or directory"):
        list(blocks(tmp_path / "none"))
    with pytest.raises(HoldsforError, match="cannot read .*: Is a directory"):
        list(blocks(tmp_path))


def test_a_damaged_gzip_file(tmp_path: Path) -> None:
    path = tmp_path / "f.gz"
    path.write_bytes(gzip.compress(b"a\n" * 1000)[:-12])
    with pytest.raises(HoldsforError, match=r"f\.gz is a damaged gzip file"):
        list(blocks(path))
