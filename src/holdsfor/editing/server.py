"""A language server: `holdsfor lsp`, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

from holdsfor import __version__
from holdsfor.codes import page
from holdsfor.diagnostics import Diagnostic, HoldsforError, Severity, Span
from holdsfor.editing.completing import proposals
from holdsfor.editing.hovering import hover_text
from holdsfor.editing.occurrences import NameKind, Occurrence
from holdsfor.editing.project import Document, Project
from holdsfor.editing.renaming import renamed

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_SYMBOL_KINDS = {
    NameKind.EVENT: lsp.SymbolKind.Event,
    NameKind.FLUENT: lsp.SymbolKind.Property,
    NameKind.BACKGROUND: lsp.SymbolKind.Function,
    NameKind.PREDICATE: lsp.SymbolKind.Property,
}


class RuleServer(LanguageServer):
    """Answers an editor's questions about rule files."""

    def __init__(self) -> None:
        super().__init__("holdsfor", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.project = Project()

    @property
    def codec(self) -> PositionCodec:
        """How the editor counts columns."""
        return self.workspace.position_codec

    def configure(self, options: Any) -> None:
        """Take the editor's settings: `background` are patterns of files that are part of every program."""
        given = options.get("background", []) if isinstance(options, dict) else []
        patterns = [given] if isinstance(given, str) else [one for one in given if isinstance(one, str)]
        self.project = Project(patterns, Path(self.workspace.root_path or "."))

    def document(self, uri: str) -> Document:
        """A file as the project knows it."""
        return self.project.document(_name(uri))

    def name_at(self, uri: str, position: lsp.Position) -> tuple[Document, Occurrence | None]:
        """The name at a place of a file."""
        document = self.document(uri)
        offset = self.workspace.get_text_document(uri).offset_at_position(position)
        return document, document.name_at(offset)

    def changed(self, uri: str, text: str) -> None:
        """Take in a new text, and say what is wrong with it and with all files that are open."""
        self.project.put(_name(uri), text)
        for name in self.project.open_files:
            found = [self._diagnostic(one) for one in self.project.document(name).diagnostics]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(_uri(name), found))

    def range(self, span: Span) -> lsp.Range:
        """A place in the editor's way of counting."""
        lines = span.source.text.splitlines(keepends=True) or [""]
        ends = [span.source.line_column(offset) for offset in (span.start, max(span.start, span.end))]
        start, end = (lsp.Position(line - 1, column - 1) for line, column in ends)
        return self.codec.range_to_client_units(lines, lsp.Range(start, end))

    def location(self, span: Span) -> lsp.Location:
        """A place in a file."""
        return lsp.Location(_uri(span.source.name), self.range(span))

    def _diagnostic(self, found: Diagnostic) -> lsp.Diagnostic:
        message = f"{found.message}\n{found.hint}" if found.hint else found.message
        return lsp.Diagnostic(
            self.range(found.span),
            message,
            severity=_SEVERITIES[found.severity],
            code=found.code,
            source="holdsfor",
            related_information=[
                lsp.DiagnosticRelatedInformation(self.location(label.span), label.message) for label in found.labels
            ],
        )


def _name(uri: str) -> str:
    return to_fs_path(uri) or uri


def _uri(name: str) -> str:
    return name if "://" in name or name.startswith("untitled:") else from_fs_path(name) or name


def make_server() -> RuleServer:
    """A server with everything that editors can ask."""
    server = RuleServer()

    @server.feature(lsp.INITIALIZE)
    def initialize(ls: RuleServer, params: lsp.InitializeParams) -> None:
        ls.configure(params.initialization_options)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: RuleServer, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.changed(params.text_document.uri, params.text_document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: RuleServer, params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.changed(uri, ls.workspace.get_text_document(uri).source)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: RuleServer, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.project.close(_name(params.text_document.uri))
        ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(ls: RuleServer, params: lsp.HoverParams) -> lsp.Hover | None:
        document, name = ls.name_at(params.text_document.uri, params.position)
        if name is None:
            return _code_page(ls, document, params)
        text = lsp.MarkupContent(lsp.MarkupKind.Markdown, hover_text(document, name))
        return lsp.Hover(text, ls.range(name.span))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: RuleServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
        document, name = ls.name_at(params.text_document.uri, params.position)
        return [] if name is None else [ls.location(one.span) for one in document.definitions(name)]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(ls: RuleServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
        document, name = ls.name_at(params.text_document.uri, params.position)
        return [] if name is None else [ls.location(one.span) for one in document.same_as(name)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(ls: RuleServer, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        document, name = ls.name_at(params.text_document.uri, params.position)
        mine = [] if name is None else [one for one in document.names if one.same(name)]
        return [lsp.DocumentHighlight(ls.range(one.span)) for one in mine]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(ls: RuleServer, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        _, name = ls.name_at(params.text_document.uri, params.position)
        return None if name is None or name.kind is NameKind.WORD else ls.range(name.span)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(ls: RuleServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        document, name = ls.name_at(params.text_document.uri, params.position)
        if name is None:
            return None
        try:
            texts = renamed(document, name, params.new_name)
        except HoldsforError as problem:
            raise JsonRpcInvalidParams(str(problem)) from None
        edits: dict[str, list[lsp.TextEdit]] = {}
        for one, text in texts.items():
            edits.setdefault(_uri(one.span.source.name), []).append(lsp.TextEdit(ls.range(one.span), text))
        return lsp.WorkspaceEdit(changes=edits)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(ls: RuleServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        document = ls.document(params.text_document.uri)
        try:
            text = document.formatted()
        except HoldsforError:
            return []
        source = document.source
        everything = ls.range(Span(source, 0, len(source.text)))
        return [] if text == source.text else [lsp.TextEdit(everything, text)]

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    def completion(ls: RuleServer, params: lsp.CompletionParams) -> lsp.CompletionList:
        uri = params.text_document.uri
        offset = ls.workspace.get_text_document(uri).offset_at_position(params.position)
        found = proposals(ls.document(uri), offset)
        return lsp.CompletionList(False, [lsp.CompletionItem(one.text, detail=one.detail) for one in found])

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(ls: RuleServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        first: dict[tuple[NameKind, str, int], Occurrence] = {}
        for one in ls.document(params.text_document.uri).names:
            if one.is_definition:
                first.setdefault((one.kind, one.name, one.arity), one)
        return [
            lsp.DocumentSymbol(
                f"{one.name}/{one.arity}", _SYMBOL_KINDS[one.kind], ls.range(one.span), ls.range(one.span)
            )
            for one in first.values()
        ]

    return server


def _code_page(ls: RuleServer, document: Document, params: lsp.HoverParams) -> lsp.Hover | None:
    """The page about a finding, where there is no name but something wrong."""
    offset = ls.workspace.get_text_document(params.text_document.uri).offset_at_position(params.position)
    for one in document.diagnostics:
        text = page(one.code) if one.span.start <= offset <= one.span.end else None
        if text is not None:
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), ls.range(one.span))
    return None
