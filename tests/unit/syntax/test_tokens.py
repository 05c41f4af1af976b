"""The tokenizer: kinds, offsets, comments, and complaints about what cannot be a token."""

from __future__ import annotations

import pytest

from holdsfor.diagnostics import Source
from holdsfor.syntax.tokens import Comment, Token, TokenKind, Tokens, tokenize, unquote


def scan(text: str) -> Tokens:
    return tokenize(Source("test", text))


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind.name, token.text) for token in scan(text).tokens[:-1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name", [("NAME", "name")]),
        ("ναῦς", [("NAME", "ναῦς")]),
        ("船", [("NAME", "船")]),
        ("x²", [("NAME", "x²")]),
        ("Name", [("VARIABLE", "Name")]),
        ("Été", [("VARIABLE", "Été")]),
        ("_", [("VARIABLE", "_")]),
        ("_x", [("VARIABLE", "_x")]),
        ("__1", [("VARIABLE", "__1")]),
        ("12", [("NUMBER", "12")]),
        ("1.5", [("NUMBER", "1.5")]),
        ("1.5e-3", [("NUMBER", "1.5e-3")]),
        ("2E8", [("NUMBER", "2E8")]),
        ("3.", [("NUMBER", "3"), ("END", ".")]),
        ("1.e", [("NUMBER", "1"), ("END", "."), ("NAME", "e")]),
        ("'two words'", [("QUOTED", "'two words'")]),
        ("'it''s'", [("QUOTED", "'it''s'")]),
        ("'it\\'s'", [("QUOTED", "'it\\'s'")]),
        ("'a\\x41\\'", [("QUOTED", "'a\\x41\\'")]),
        ("''", [("QUOTED", "''")]),
        ('"text"', [("QUOTED", '"text"')]),
        ("!", [("OPERATOR", "!")]),
        ("f(", [("NAME", "f"), ("PUNCTUATION", "(")]),
    ],
)
def test_kinds(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected
    assert scan(text).diagnostics == []


@pytest.mark.parametrize(
    "operator", ":- --> -> \\+ =.. =:= =\\= \\== \\= @=< @>= @< @> == =< >= ** // / - + * ^ < > = : ;".split()
)
def test_the_longest_operator_wins(operator: str) -> None:
    assert kinds(f"X{operator}Y") == [("VARIABLE", "X"), ("OPERATOR", operator), ("VARIABLE", "Y")]


def test_tokens_know_where_they_stand() -> None:
    assert scan("a(X).\n'b c'").tokens == [
        Token(TokenKind.NAME, "a", 0, 1),
        Token(TokenKind.PUNCTUATION, "(", 1, 2),
        Token(TokenKind.VARIABLE, "X", 2, 3),
        Token(TokenKind.PUNCTUATION, ")", 3, 4),
        Token(TokenKind.END, ".", 4, 5),
        Token(TokenKind.QUOTED, "'b c'", 6, 11),
        Token(TokenKind.EOF, "", 11, 11),
    ]


def test_empty_text_is_one_token() -> None:
    assert scan("").tokens == [Token(TokenKind.EOF, "", 0, 0)]
    assert scan(" \t\n").tokens == [Token(TokenKind.EOF, "", 3, 3)]


def test_comments_are_kept_apart() -> None:
    found = scan("a. % to the end\n/* over\n two lines */ b. '% no' /**/")
    assert found.comments == [
        Comment("% to the end", 3, 15),
        Comment("/* over\n two lines */", 16, 37),
        Comment("/**/", 48, 52),
    ]
    assert [token.text for token in found.tokens] == ["a", ".", "b", ".", "'% no'", ""]


@pytest.mark.parametrize(
    ("text", "message", "hint", "covered"),
    [
        ("a 'open", "this quote is never closed", "close it with ' on the same line", "'open"),
        ("a 'open\nb.", "this quote is never closed", "close it with ' on the same line", "'open"),
        ('a "open', "this quote is never closed", 'close it with " on the same line', '"open'),
        ("a. /* open\nb.", "this comment is never closed", "close it with */", "/* open\nb."),
        ("X ≤ Y", "unexpected character '≤'", "write =<", "≤"),
        ("X ≠ Y", "unexpected character '≠'", "write \\=", "≠"),
        ("¬ a", "unexpected character '¬'", "write \\+", "¬"),
        ("a & b", "unexpected character '&'", "write ,", "&"),
        ("# a", "unexpected character '#'", "write % for a comment", "#"),
        ("‘a", "unexpected character '‘'", "write '", "‘"),
        ("a $ b", "unexpected character '$'", "remove it, or quote the name it belongs to", "$"),
        ("a \\ b", "unexpected character '\\'", "remove it, or quote the name it belongs to", "\\"),
        ("a \x00", "unexpected character U+0000", "remove it", "\x00"),
    ],
)
def test_stray_characters(text: str, message: str, hint: str, covered: str) -> None:
    (finding,) = scan(text).diagnostics
    assert (finding.code, finding.message, finding.hint, finding.span.text) == ("HF002", message, hint, covered)


def test_every_stray_character_is_reported() -> None:
    found = scan("a ? b\n? 'c")
    assert [(item.span.start, item.span.end) for item in found.diagnostics] == [(2, 3), (6, 7), (8, 10)]
    assert [token.text for token in found.tokens] == ["a", "b", ""]


def test_a_stray_character_is_reported_once_in_a_line() -> None:
    found = scan("a ?? b ? c\n?")
    assert [(item.span.start, item.span.end) for item in found.diagnostics] == [(2, 4), (11, 12)]


def test_a_byte_order_mark_is_nothing() -> None:
    assert scan("\ufeffa").tokens == [Token(TokenKind.NAME, "a", 1, 2), Token(TokenKind.EOF, "", 2, 2)]
    assert scan("\ufeffa").diagnostics == []
    assert [item.span.start for item in scan("a \ufeff").diagnostics] == [2]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("'plain'", "plain"),
        ("''", ""),
        ("'it''s'", "it's"),
        ("'it\\'s'", "it's"),
        ("''''", "'"),
        ("'say \"hi\"'", 'say "hi"'),
        ("'two \"\" stay'", 'two "" stay'),
        ('"two "" become one"', 'two " become one'),
        ("\"it''s\"", "it''s"),
        ("'a\\nb\\tc\\\\d'", "a\nb\tc\\d"),
        ("'one \\\nline'", "one line"),
        ("'\\x41\\'", "A"),
        ("'\\x1F600\\!'", "😀!"),
        ("'\\xD800\\'", "\N{REPLACEMENT CHARACTER}"),
        ("'\\x110000\\'", "\N{REPLACEMENT CHARACTER}"),
        ("'\\q'", "q"),
    ],
)
def test_unquote(text: str, name: str) -> None:
    assert unquote(text) == name
    assert kinds(text) == [("QUOTED", text)]
