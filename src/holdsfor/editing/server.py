"""A language server, `holdsfor lsp`, over standard input and output; `features` answers the requests."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from holdsfor import __version__
from holdsfor.diagnostics import Diagnostic, Severity, Source, Span, in_reading_order
from holdsfor.editing.event_data import EventData
from holdsfor.editing.occurrences import Occurrence
from holdsfor.editing.project import Document, Project

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}

_PAUSE = 0.1
"""Seconds without a change before findings are sent to the editor."""


class RuleServer(LanguageServer):
    """Answers an editor's requests about rule files."""

    def __init__(self) -> None:
        super().__init__("holdsfor", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.project = Project()
        self.data = EventData()
        self._published: set[str] = set()
        self._problem = ""
        self._due: asyncio.TimerHandle | None = None

    # Settings

    def configure(self, settings: Any) -> None:
        """Applies the editor's settings, given directly or under `holdsfor`.

        `background` are patterns of files that are part of every program, `events` files of events to check the rules by.
        """
        given = settings if isinstance(settings, dict) else {}
        given = given["holdsfor"] if isinstance(given.get("holdsfor"), dict) else given
        root = Path(self.workspace.root_path or ".")
        self.project.root = root
        if "background" in given:
            self.project.background = _texts(given["background"])
            self.project.refresh()
        if "events" in given:
            self.data = EventData(_texts(given["events"]), root)

    # Files

    def document(self, uri: str) -> Document:
        """A file as the project knows it."""
        return self.project.document(name_of(uri))

    def name_at(self, uri: str, position: lsp.Position) -> tuple[Document, Occurrence | None]:
        """The name at a place of a file."""
        document = self.document(uri)
        return document, document.name_at(self.offset(document.source, position))

    def opened(self, uri: str, text: str) -> None:
        """Adds a file, and publishes its findings."""
        self.project.put(name_of(uri), text)
        self.publish(may_read=True)

    def changed(self, uri: str, text: str) -> None:
        """Updates a text, and publishes findings after a pause, because typing is faster than checking."""
        self.project.put(name_of(uri), text)
        self._cancel()
        self._due = asyncio.get_running_loop().call_later(_PAUSE, lambda: self.publish(may_read=False))

    def closed(self, uri: str) -> None:
        """Removes a closed file, which another open file may still load."""
        self.project.close(name_of(uri))
        self.publish(may_read=False)

    # Findings

    def findings(self, document: Document, *, may_read: bool = False) -> list[Diagnostic]:
        """The findings in a file, including those about its data."""
        of_data = (one for program in document.programs for one in self.data.findings(program, may_read=may_read))
        here = [one for one in of_data if one.span.source.name == document.source.name]
        return in_reading_order([*document.diagnostics, *here])

    def publish(self, *, may_read: bool) -> None:
        """Publishes the findings of the open files and of the files that they load.

        `may_read` says whether files of events may be read again.
        """
        self._cancel()
        files = self.project.files
        for name in files:
            found = [self.diagnostic(one) for one in self.findings(self.project.document(name), may_read=may_read)]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri_of(name), found))
        for name in self._published.difference(files):
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri_of(name), []))
        self._published = set(files)
        if self.data.problem and self.data.problem != self._problem:
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, self.data.problem))
        self._problem = self.data.problem

    def _cancel(self) -> None:
        if self._due is not None:
            self._due.cancel()
        self._due = None

    def diagnostic(self, found: Diagnostic) -> lsp.Diagnostic:
        """A finding in the format of the protocol."""
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

    # Positions: editors count lines from 0, and columns in units of an encoding

    def position(self, source: Source, offset: int) -> lsp.Position:
        """A position in the editor's units."""
        line, column = source.line_column(offset)
        return lsp.Position(line - 1, self.units(source.line(line)[: column - 1]))

    def units(self, text: str) -> int:
        """The length of a text in the editor's units."""
        if text.isascii():
            return len(text)
        return int(self.workspace.position_codec.client_num_units(text))

    def offset(self, source: Source, position: lsp.Position) -> int:
        """The offset of an editor's position."""
        count = source.text.count("\n")
        if position.line > count:
            return len(source.text)
        line, left = source.line(position.line + 1), position.character
        characters = 0
        while characters < len(line) and left > 0:
            left -= self.units(line[characters])
            characters += 1
        return source.offset(position.line + 1, characters + 1)

    def range(self, span: Span) -> lsp.Range:
        """A span in the editor's units."""
        end = max(span.start, span.end)
        return lsp.Range(self.position(span.source, span.start), self.position(span.source, end))

    def location(self, span: Span) -> lsp.Location:
        """A place in a file."""
        return lsp.Location(uri_of(span.source.name), self.range(span))


def _texts(given: Any) -> list[str]:
    listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return [one for one in listed if isinstance(one, str) and one.strip()]


def name_of(uri: str) -> str:
    """The path of an editor's URI."""
    return to_fs_path(uri) or uri


def uri_of(name: str) -> str:
    """The URI of a file."""
    return name if "://" in name or name.startswith("untitled:") else from_fs_path(name) or name
