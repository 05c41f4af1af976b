"""`mcp`: a server for language models that write rules."""

from __future__ import annotations

from holdsfor.cli.common import friendly_errors
from holdsfor.diagnostics import HoldsforError


def mcp() -> None:
    """Serve language models over standard input and output (Model Context Protocol): check, run, test and explain rules."""
    with friendly_errors():
        try:
            from holdsfor.verifier.server import make_server
        except ImportError:
            raise HoldsforError("the server needs the package mcp: pip install 'holdsfor[mcp]'") from None
        make_server().run()
