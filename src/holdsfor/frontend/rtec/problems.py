"""Reports problems during lowering without stopping."""

from __future__ import annotations

from holdsfor.diagnostics import Diagnostic, Fix, Severity, Span


class MalformedClause(Exception):
    """A clause that cannot be lowered to a rule; its diagnostic is already recorded."""


class Problems:
    """Collects the diagnostics of one source."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def error(self, code: str, message: str, span: Span, hint: str = "", fix: Fix | None = None) -> MalformedClause:
        """Records an error; raise the returned exception to abandon the clause."""
        self.found.append(Diagnostic(code, Severity.ERROR, message, span, hint, fix=fix))
        return MalformedClause()
