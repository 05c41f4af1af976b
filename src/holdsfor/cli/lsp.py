"""`lsp` and `grammar`: support for editors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.common import friendly_errors, write_output
from holdsfor.diagnostics import HoldsforError


class Language(StrEnum):
    """The languages of rules."""

    RTEC = "rtec"
    DMTL = "dmtl"


def lsp() -> None:
    """Serve editors over standard input and output: diagnostics with fixes, names, colours, format and more."""
    with friendly_errors():
        try:
            from holdsfor.editing.features import make_server
        except ImportError:
            raise HoldsforError("the language server needs pygls: pip install 'holdsfor[lsp]'") from None
        make_server().start_io()


def grammar(
    language: Annotated[Language, typer.Argument(help="The language of the rules.")] = Language.RTEC,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")
    ] = None,
) -> None:
    """Print a TextMate grammar, for editors that colour text by one."""
    from holdsfor.editing.grammar import textmate_grammar

    write_output(textmate_grammar(language.value), output)
