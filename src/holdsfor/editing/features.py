"""The features of the language server, with one function per kind of request."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from holdsfor.codes import page
from holdsfor.diagnostics import HoldsforError, Span
from holdsfor.editing.code_actions import quick_fixes
from holdsfor.editing.colouring import Modifier, WordRole, coloured
from holdsfor.editing.completing import proposals
from holdsfor.editing.folding import folds
from holdsfor.editing.hovering import hover_text
from holdsfor.editing.occurrences import NameKind, Occurrence
from holdsfor.editing.project import Document
from holdsfor.editing.renaming import renamed
from holdsfor.editing.server import RuleServer, uri_of
from holdsfor.editing.signatures import Signature, signature_help

_SYMBOL_KINDS = {
    NameKind.EVENT: lsp.SymbolKind.Event,
    NameKind.FLUENT: lsp.SymbolKind.Property,
    NameKind.BACKGROUND: lsp.SymbolKind.Function,
    NameKind.PREDICATE: lsp.SymbolKind.Property,
}
_ROLES = {role: number for number, role in enumerate(WordRole)}
_MODIFIERS = {modifier: 1 << number for number, modifier in enumerate(Modifier)}
LEGEND = lsp.SemanticTokensLegend([str(role) for role in WordRole], [str(modifier) for modifier in Modifier])


def make_server() -> RuleServer:
    """A server with all features."""
    server = RuleServer()
    _add_files(server)
    _add_names(server)
    _add_text(server)
    return server


def _add_files(server: RuleServer) -> None:
    """Settings, and opening, changing, saving and closing of files."""

    @server.feature(lsp.INITIALIZE)
    def initialize(ls: RuleServer, params: lsp.InitializeParams) -> None:
        ls.configure(params.initialization_options)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: RuleServer, params: lsp.DidChangeConfigurationParams) -> None:
        ls.configure(params.settings)
        ls.publish(may_read=True)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(ls: RuleServer, _params: lsp.DidChangeWatchedFilesParams) -> None:
        ls.project.refresh()
        ls.publish(may_read=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: RuleServer, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.opened(params.text_document.uri, params.text_document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: RuleServer, params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.changed(uri, ls.workspace.get_text_document(uri).source)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: RuleServer, _params: lsp.DidSaveTextDocumentParams) -> None:
        ls.project.refresh()
        ls.publish(may_read=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: RuleServer, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)


def _add_names(server: RuleServer) -> None:
    """Features of names: definitions, references, renaming."""

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
        if name is not None:
            return [ls.location(one.span) for one in document.definitions(name)]
        offset, start = ls.offset(document.source, params.position), lsp.Position(0, 0)
        files = [path for span, path in document.loaded_files if span.start <= offset <= span.end]
        return [lsp.Location(uri_of(str(path)), lsp.Range(start, start)) for path in files]

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
            edits.setdefault(uri_of(one.span.source.name), []).append(lsp.TextEdit(ls.range(one.span), text))
        return lsp.WorkspaceEdit(changes=edits)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    def completion(ls: RuleServer, params: lsp.CompletionParams) -> lsp.CompletionList:
        document = ls.document(params.text_document.uri)
        found = proposals(document, ls.offset(document.source, params.position))
        return lsp.CompletionList(False, [lsp.CompletionItem(one.text, detail=one.detail) for one in found])

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(["(", ","]))
    def signatures(ls: RuleServer, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        document = ls.document(params.text_document.uri)
        found = signature_help(document, ls.offset(document.source, params.position))
        if found is None:
            return None
        return lsp.SignatureHelp([_signature(ls, one) for one in found.signatures], found.active, found.parameter)

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


def _add_text(server: RuleServer) -> None:
    """Features of the text: display and formatting."""

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    def code_actions(ls: RuleServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return quick_fixes(ls, params)

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

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    def semantic_tokens(ls: RuleServer, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        document = ls.document(params.text_document.uri)
        return lsp.SemanticTokens(_encoded_tokens(ls, document))

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(ls: RuleServer, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        found = folds(ls.document(params.text_document.uri))
        return [lsp.FoldingRange(one.first - 1, one.last - 1, kind=str(one.kind)) for one in found]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
    def links(ls: RuleServer, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
        files = ls.document(params.text_document.uri).loaded_files
        return [lsp.DocumentLink(ls.range(span), uri_of(str(path))) for span, path in files]


def _encoded_tokens(ls: RuleServer, document: Document) -> list[int]:
    """Five numbers per word: line and column relative to the last word, length, role, modifiers."""
    source, numbers = document.source, list[int]()
    last = lsp.Position(0, 0)
    for one in coloured(document):
        place = ls.position(source, one.start)
        is_same_line = place.line == last.line
        numbers += (
            place.line - last.line,
            place.character - last.character if is_same_line else place.character,
            ls.units(source.text[one.start : one.end]),
            _ROLES[one.role],
            sum(_MODIFIERS[modifier] for modifier in one.modifiers),
        )
        last = place
    return numbers


def _signature(ls: RuleServer, one: Signature) -> lsp.SignatureInformation:
    """A signature; its parameters are offsets into the label, because two of them may have the same name."""
    parameters, start = [], ls.units(one.name) + 1
    for parameter in one.parameters:
        end = start + ls.units(parameter)
        parameters.append(lsp.ParameterInformation((start, end)))
        start = end + len(", ")
    return lsp.SignatureInformation(one.label, one.about, parameters)


def _code_page(ls: RuleServer, document: Document, params: lsp.HoverParams) -> lsp.Hover | None:
    """The page of a diagnostic code, at a finding without a name."""
    offset = ls.offset(document.source, params.position)
    for one in ls.findings(document):
        text = page(one.code) if one.span.start <= offset <= one.span.end else None
        if text is not None:
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), ls.range(one.span))
    return None
