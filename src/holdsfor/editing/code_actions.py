"""Quick fixes: the corrections in findings."""

from __future__ import annotations

from lsprotocol import types as lsp

from holdsfor.diagnostics import Fix
from holdsfor.editing.server import RuleServer, uri_of

_LONGEST = 40


def quick_fixes(server: RuleServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """The complete corrections of findings that touch a range."""
    kinds = params.context.only
    if kinds and not any(_includes(kind) for kind in kinds):
        return []
    document = server.document(params.text_document.uri)
    start, end = (server.offset(document.source, place) for place in (params.range.start, params.range.end))
    actions = []
    for found in server.findings(document):
        if found.fix is None or found.span.start > end or found.span.end < start:
            continue
        edit = lsp.TextEdit(server.range(found.fix.span), found.fix.replacement)
        actions.append(
            lsp.CodeAction(
                title(found.fix),
                lsp.CodeActionKind.QuickFix,
                [server.diagnostic(found)],
                is_preferred=True,
                edit=lsp.WorkspaceEdit(changes={uri_of(found.fix.span.source.name): [edit]}),
            )
        )
    return actions


def title(fix: Fix) -> str:
    """A short title of a correction."""
    old, new = _shown(fix.span.text), _shown(fix.replacement)
    if not fix.replacement:
        return f"Remove {old}" if old else "Remove the space"
    return f"Replace {old} by {new}" if fix.span.text else f"Insert {new}"


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"


def _includes(kind: str | lsp.CodeActionKind) -> bool:
    """Whether a requested kind includes quick fixes; kinds are hierarchical, with dots between the parts."""
    requested = str(getattr(kind, "value", kind))
    return requested in ("", lsp.CodeActionKind.QuickFix.value)
