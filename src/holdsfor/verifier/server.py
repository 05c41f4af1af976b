"""A server of the Model Context Protocol: the functions of `tools`, for language models that write rules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from holdsfor import __version__
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.verifier import tools

INSTRUCTIONS = """\
holdsfor finds the intervals during which situations hold in streams of events, by rules. Write rules in small steps and \
verify each: read the topics of language_reference that you need; check_rules until nothing is wrong; run_rules on some \
events by hand; test_rules with the intervals that you expect; ask explain_holds or explain_why_not about any interval that \
surprises you; diff_rules to see what an edit changes; backtest_rules against labels. An event at T takes effect at T+1: \
what 3 unlock(front) initiates holds in [4,inf). Events are written one to a line, `3 unlock(front)`, or `[10,20) \
light(hall)=dim` for an input fluent."""

_TOOLS: dict[str, Callable[..., dict[str, Any]]] = {
    "language_reference": tools.language,
    "check_rules": tools.check,
    "format_rules": tools.fmt,
    "run_rules": tools.run,
    "test_rules": tools.test,
    "explain_holds": tools.explain,
    "explain_why_not": tools.why_not,
    "diff_rules": tools.diff,
    "backtest_rules": tools.backtest,
}


def make_server() -> MCPServer[Any]:
    """The server; `run` serves standard input and output."""
    server: MCPServer[Any] = MCPServer("holdsfor", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    # The tools change nothing, and read nothing outside of this process.
    harmless = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for name, work in _TOOLS.items():
        server.tool(name=name, annotations=harmless)(_friendly(work))
    return server


def _friendly(work: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Returns errors that a user can cause as an answer with advice; any other error is a fault of this server."""

    @wraps(work)
    def answered(*args: Any, **kwargs: Any) -> dict[str, Any]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = work(*args, **kwargs)
            except ProgramError as problem:
                raise ToolError("\n".join(one.render() for one in problem.diagnostics)) from None
            except HoldsforError as problem:
                raise ToolError(str(problem)) from None
        notes = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
        return found | {"warnings": notes} if notes else found

    return answered
