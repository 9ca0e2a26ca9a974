"""The language server on pygls: requests in, answers out.

In: an editor's messages on standard input. Out: answers on standard output.
Never: an answer worked out here; diagnostics follow a keystroke in a thread of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from loom.lsp import answers
from loom.lsp.completing import suggestions
from loom.lsp.desk import Desk, Work
from loom.lsp.names.declared import Declared
from loom.lsp.texts import Text

PAUSE = 0.03
# Planning takes as long as everything before it, and cannot be interrupted: it waits until nobody types.
IDLE = 0.7


class Spot(NamedTuple):
    """A file of a project, and where in it the cursor is."""

    work: Work
    file: str
    text: Text
    offset: int


class Server(LanguageServer):
    def __init__(self) -> None:
        super().__init__("loom", "1", text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
        self.desk = Desk()

    def place(self, uri: str) -> tuple[Work, str]:
        return self.desk.work(Path(to_fs_path(uri) or uri))

    def text(self, work: Work, file: str) -> Text:
        return Text(work.text(file), self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16)

    def uri(self, work: Work, file: str) -> str:
        return from_fs_path(str(work.project.root / file)) or file

    def spot(self, uri: str, position: lsp.Position) -> Spot:
        work, file = self.place(uri)
        text = self.text(work, file)
        return Spot(work, file, text, text.offset(position))

    def publish(self, work: Work, found: dict[str, list[lsp.Diagnostic]]) -> None:
        for file, items in found.items():
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(self.uri(work, file), items))


def make() -> Server:
    """A server with all its features."""
    server = Server()
    for name, answer in _ANSWERS.items():
        server.feature(name)(answer)
    server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))(_complete)
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))(_act)
    server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))(_rename)
    return server


async def _opened(server: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    await _changed(server, params.text_document.uri)


async def _edited(server: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    await _changed(server, params.text_document.uri)


async def _saved(server: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    await _changed(server, params.text_document.uri)


async def _changed(server: Server, uri: str) -> None:
    work, file = server.place(uri)
    work.texts[file] = server.workspace.get_text_document(uri).source.encode(errors="replace")
    await _check(server, work)


async def _closed(server: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    work, file = server.place(params.text_document.uri)
    work.texts.pop(file, None)
    await _check(server, work)


async def _check(server: Server, work: Work) -> None:
    """After a pause, unless more was typed; what only a sound model shows comes second."""
    work.generation += 1
    mine = work.generation
    for pause, late in ((PAUSE, False), (IDLE, True)):
        await asyncio.sleep(pause)
        if work.generation != mine:
            return
        check = partial(_found, server, work, dict(work.texts), late)
        found = await asyncio.get_running_loop().run_in_executor(None, check)
        if work.generation == mine:
            server.publish(work, found)


def _found(server: Server, work: Work, texts: dict[str, bytes], late: bool) -> dict[str, list[lsp.Diagnostic]]:
    made: dict[str, list[lsp.Diagnostic]] = {}
    for file, items in work.check(texts, late=late).items():
        text = server.text(work, file) if items else Text("")
        made[file] = [answers.diagnostic(item, text) for item in items]
    return made


def _hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    work, file, text, offset = server.spot(params.text_document.uri, params.position)
    return answers.hovered(work.ready(), file, offset, work.found.get(file, ()), text)


def _declared(spot: Spot) -> Declared | None:
    found = spot.work.ready().at(spot.file, spot.offset)
    return found.declared if found else None


def _definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    spot = server.spot(params.text_document.uri, params.position)
    declared = _declared(spot)
    if declared is None:
        return None
    place = spot.work.session.place(declared)
    return answers.location(place, partial(server.text, spot.work), partial(server.uri, spot.work))


def _references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    spot = server.spot(params.text_document.uri, params.position)
    declared = _declared(spot)
    if declared is None:
        return []
    own = spot.work.session.place(declared)
    places = [place for place in spot.work.session.mentions(declared)
              if params.context.include_declaration or place != own]  # fmt: skip
    return list(answers.positions(places, partial(server.text, spot.work), partial(server.uri, spot.work)))


def _prepare_rename(server: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    spot = server.spot(params.text_document.uri, params.position)
    found = spot.work.ready().at(spot.file, spot.offset)
    if found is None or found.declared.kind in answers.GIVEN:
        return None
    place = spot.work.session.place(found)
    return spot.text.range(place.start, place.end)


def _rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    spot = server.spot(params.text_document.uri, params.position)
    declared = _declared(spot)
    if mistake := answers.unfit(params.new_name, declared):
        raise JsonRpcInvalidParams(mistake)
    if declared is None:
        return None
    texts, uris = partial(server.text, spot.work), partial(server.uri, spot.work)
    return answers.renaming(spot.work.session, declared, params.new_name, texts, uris)


def _symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    work, file = server.place(params.text_document.uri)
    return answers.symbols(work.ready(), file, server.text(work, file))


def _complete(server: Server, params: lsp.CompletionParams) -> lsp.CompletionList:
    spot = server.spot(params.text_document.uri, params.position)
    return answers.completion(suggestions(spot.work.ready(), spot.file, spot.offset))


def _act(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    work, file = server.place(params.text_document.uri)
    only = params.context.only
    if only is not None and not any(lsp.CodeActionKind.QuickFix.value.startswith(kind) for kind in only):
        return []
    told, found = params.context.diagnostics, work.found.get(file, ())
    return answers.actions(found, params.range, told, server.text(work, file), params.text_document.uri)


def _format(server: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
    work, file = server.place(params.text_document.uri)
    text = server.text(work, file)
    return answers.formatting(file, text.text.encode(), text, None)


def _format_range(server: Server, params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
    work, file = server.place(params.text_document.uri)
    text = server.text(work, file)
    lines = params.range.start.line + 1, params.range.end.line + 1
    return answers.formatting(file, text.text.encode(), text, lines)


_ANSWERS: dict[str, Callable[..., object]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: _opened,
    lsp.TEXT_DOCUMENT_DID_CHANGE: _edited,
    lsp.TEXT_DOCUMENT_DID_SAVE: _saved,
    lsp.TEXT_DOCUMENT_DID_CLOSE: _closed,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_DEFINITION: _definition,
    lsp.TEXT_DOCUMENT_REFERENCES: _references,
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: _prepare_rename,
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _symbols,
    lsp.TEXT_DOCUMENT_FORMATTING: _format,
    lsp.TEXT_DOCUMENT_RANGE_FORMATTING: _format_range,
}
