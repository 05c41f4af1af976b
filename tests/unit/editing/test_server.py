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


def test_quick_fixes_colours_signatures_and_folding() -> None:
    text = "% 🚪\n% doors\ninitiatedAt(open('🚪', D)=true, T) :- hapensAt(unlock(D), T).\nhouse(a,\n  b)."

    async def work(client: LanguageClient, published: Published) -> None:
        file = open_file(client, text)
        [wrong] = [one for one in (await published.get()).diagnostics if one.code == "HF101"]
        context = lsp.CodeActionContext([wrong])
        [action] = await client.text_document_code_action_async(lsp.CodeActionParams(file, wrong.range, context)) or []
        assert isinstance(action, lsp.CodeAction) and action.edit is not None and action.edit.changes is not None
        assert (action.title, action.is_preferred) == ("Replace hapensAt by happensAt", True)
        [edit] = action.edit.changes[URI]
        # The door before it is two units wide for editors.
        column = text.splitlines()[2].index("hapensAt") + 1
        assert (edit.range.start.character, edit.range.end.character) == (column, column + 8)
        elsewhere = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        assert not await client.text_document_code_action_async(lsp.CodeActionParams(file, elsewhere, context))
        others = lsp.CodeActionContext([wrong], only=[lsp.CodeActionKind.Refactor])
        assert not await client.text_document_code_action_async(lsp.CodeActionParams(file, wrong.range, others))
        tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(file))
        assert tokens is not None
        starts = [tokens.data[place : place + 3] for place in range(0, len(tokens.data), 5)]
        # The two comments, initiatedAt, open, and the quoted door: four units with its quotes.
        assert [list(one) for one in starts[:5]] == [[0, 0, 4], [1, 0, 7], [1, 0, 11], [0, 12, 4], [0, 5, 4]]
        place = lsp.Position(2, text.splitlines()[2].index("D)") + 1)
        found = await client.text_document_signature_help_async(lsp.SignatureHelpParams(file, place))
        assert found is not None and found.signatures[0].label.startswith("open(") and found.active_parameter == 1
        ranges = await client.text_document_folding_range_async(lsp.FoldingRangeParams(file))
        assert [(one.start_line, one.end_line) for one in ranges or []] == [(0, 1), (3, 4)]

    talk(work)


def test_programs_of_several_files_and_data(tmp_path: Path) -> None:
    (tmp_path / "houses.prolog").write_text("house(front).\n")
    (tmp_path / "events.csv").write_text("unlock|1|1|front\n")
    main = ":- ['houses.prolog'].\ninitiatedAt(open(D)=true, T) :- happensAt(unlok(D), T), house(D).\n"

    async def work(client: LanguageClient, published: Published) -> None:
        async def findings() -> dict[str, list[object]]:
            """What is said of the two files, in the order in which it is said."""
            both = [await published.get(), await published.get()]
            return {Path(one.uri).name: [found.code for found in one.diagnostics] for one in both}

        file = open_file(client, main, (tmp_path / "main.prolog").as_uri())
        assert await findings() == {"main.prolog": [], "houses.prolog": []}
        settings = {"holdsfor": {"events": "events.csv"}}
        client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
        assert await findings() == {"main.prolog": ["HF304"], "houses.prolog": []}
        place = lsp.Position(1, main.splitlines()[1].index("house"))
        found = await client.text_document_definition_async(lsp.DefinitionParams(file, place))
        assert [one.uri for one in found or []] == [(tmp_path / "houses.prolog").as_uri()]  # type: ignore[union-attr]
        found = await client.text_document_definition_async(lsp.DefinitionParams(file, lsp.Position(0, 6)))
        assert [one.uri for one in found or []] == [(tmp_path / "houses.prolog").as_uri()]  # type: ignore[union-attr]
        edit = await client.text_document_rename_async(lsp.RenameParams(file, place, "home"))
        assert edit is not None and edit.changes is not None and len(edit.changes) == 2
        (tmp_path / "houses.prolog").write_text("home(front).\n")
        client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([]))
        assert await findings() == {"main.prolog": ["HF304", "HF101"], "houses.prolog": []}
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(file))
        assert await findings() == {"main.prolog": [], "houses.prolog": []}

    talk(work, root=tmp_path.as_uri())


def test_only_the_last_of_many_changes_is_checked() -> None:
    async def work(client: LanguageClient, published: Published) -> None:
        open_file(client, TEXT)
        await published.get()
        for version in range(2, 40):
            text = TEXT.replace("open", f"open{version}") + ("wrong(" if version == 39 else "")
            changed = lsp.TextDocumentContentChangeWholeDocument(text)
            identifier = lsp.VersionedTextDocumentIdentifier(version, URI)
            client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [changed]))
        heard = [await published.get()]
        while not heard[-1].diagnostics:
            heard.append(await published.get())
        assert len(heard) < 20

    talk(work)
