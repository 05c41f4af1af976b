"""Lexers and grammars: every rule file of the examples is coloured without a stray character."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pygments.lexers import find_lexer_class_by_name
from pygments.token import Comment, Error, Keyword, Name
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.editing.lexers import MetricLexer, RulesLexer

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    "path", [*EXAMPLES.glob("*/*.prolog"), *EXAMPLES.glob("*/*.dmtl")], ids=lambda path: str(path.relative_to(EXAMPLES))
)
def test_examples_have_no_stray_characters(path: Path) -> None:
    lexer = MetricLexer() if path.suffix == ".dmtl" else RulesLexer()
    text = path.read_text("utf-8")
    tokens = list(lexer.get_tokens(text))
    assert not [word for kind, word in tokens if kind is Error]
    assert "".join(word for _, word in tokens).strip() == text.strip()


def test_words_names_and_variables_differ() -> None:
    kinds = {
        word: kind for kind, word in RulesLexer().get_tokens("initiatedAt(on(Größe)=true, T) :- happensAt(ü(X), T).")
    }
    assert kinds["initiatedAt"] is Keyword.Declaration
    assert kinds["Größe"] is Name.Variable
    assert kinds["ü"] is Name.Function
    kinds = {word: kind for kind, word in MetricLexer().get_tokens("Late(X) :- Diamondminus[0,5] Alarm(X)")}
    assert (kinds["Diamondminus"], kinds["Alarm"], kinds["X"]) == (Keyword, Name.Function, Name.Variable)


def test_comments_may_have_several_lines() -> None:
    for lexer in (RulesLexer(), MetricLexer()):
        assert (Comment.Multiline, "/* two\nlines */") in lexer.get_tokens("/* two\nlines */\n")


def test_pygments_knows_them() -> None:
    assert find_lexer_class_by_name("rtec") is RulesLexer
    assert find_lexer_class_by_name("dmtl") is MetricLexer


@pytest.mark.parametrize("language", ["rtec", "dmtl"])
def test_grammars_are_json_with_patterns_that_compile(language: str) -> None:
    made = json.loads(CliRunner().invoke(app, ["grammar", language]).stdout)
    assert made["scopeName"] == f"source.{language}"
    for pattern in made["patterns"]:
        re.compile(pattern.get("match") or pattern["begin"])
