"""The language server as an editor sees it: a process of its own, over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

TEXT = "% 🚪 doors\ninitiatedAt(open(D)=true, T) :- happensAt(unlock(D), T). /* 🔑 */ terminatedAt(open(D)=true, T) :- happensAt(lock(D),T).\n"
URI = "file:///doors.prolog"
Published = asyncio.Queue[lsp.PublishDiagnosticsParams]
Talk = Callable[[LanguageClient, Published], Awaitable[None]]


def talk(what: Talk, options: Any = None, root: str | None = None) -> None:
    async def run() -> None:
        client = LanguageClient("test", "1")
        published: Published = asyncio.Queue()

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            published.put_nowait(params)

        await client.start_io(sys.executable, "-m", "holdsfor", "lsp")
        await client.initialize_async(
            lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=root, initialization_options=options)
        )
        client.initialized(lsp.InitializedParams())
        await what(client, published)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(asyncio.wait_for(run(), 60))


def open_file(client: LanguageClient, text: str, uri: str = URI) -> lsp.TextDocumentIdentifier:
    item = lsp.TextDocumentItem(uri, "prolog", 1, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    return lsp.TextDocumentIdentifier(uri)


def test_an_editor_at_work() -> None:
    async def work(client: LanguageClient, published: Published) -> None:
        file = open_file(client, TEXT)
        assert not (await published.get()).diagnostics
        # The second `open` stands behind a character that is two units wide for editors.
        place = lsp.Position(1, TEXT.splitlines()[1].rindex("open") + 1)
        hover = await client.text_document_hover_async(lsp.HoverParams(file, place))
        assert hover is not None
        assert "**open/1**: simple fluent" in hover.contents.value  # type: ignore[union-attr]
        found = await client.text_document_definition_async(lsp.DefinitionParams(file, place))
        assert [one.range.start.line for one in found or []] == [1, 1]  # type: ignore[union-attr]
        edit = await client.text_document_rename_async(lsp.RenameParams(file, place, "isOpen"))
        assert edit is not None and edit.changes is not None
        starts = sorted(one.range.start.character for one in edit.changes[URI])
        assert starts == [12, TEXT.splitlines()[1].rindex("open") + 1]
        formatted = await client.text_document_formatting_async(
            lsp.DocumentFormattingParams(file, lsp.FormattingOptions(4, insert_spaces=True))
        )
        assert formatted and "\n    happensAt(lock(D), T)." in formatted[0].new_text
        symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(file))
        assert [one.name for one in symbols or []] == ["open/1"]
        changed = lsp.TextDocumentContentChangeWholeDocument("initiatedAt(open(D)=true, T) :- happensAt(unlock(E), T).")
        version = lsp.VersionedTextDocumentIdentifier(2, URI)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(version, [changed]))
        wrong = (await published.get()).diagnostics
        assert wrong[0].code.startswith("HF")
        offered = await client.text_document_completion_async(lsp.CompletionParams(file, lsp.Position(0, 3)))
        assert "initiatedAt" in [one.label for one in offered.items]  # type: ignore[union-attr]

    talk(work)


def test_background_files_from_the_settings(tmp_path: Path) -> None:
    (tmp_path / "houses.prolog").write_text("house(front).")

    async def work(client: LanguageClient, published: Published) -> None:
        rules = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), house(D)."
        open_file(client, rules, (tmp_path / "doors.prolog").as_uri())
        assert not (await published.get()).diagnostics

    talk(work, {"background": ["houses.prolog"]}, tmp_path.as_uri())
