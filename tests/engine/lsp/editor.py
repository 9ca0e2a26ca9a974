"""An editor: a real client of the language server, over its standard input and output.

In: a project's folder. Out: what the server answers, what it publishes.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from tests.kit.waiting import LONGEST

CHECKOUT = Path(__file__).parents[3]
PROGRAM = "import sys; from loom.cli import main; sys.exit(main(['lsp']))"
T = TypeVar("T")


class Editor:
    """`published` holds the last diagnostics of each file by its name, `rounds` counts publications."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.client = LanguageClient("editor", "1")
        self.published: dict[str, list[lsp.Diagnostic]] = {}
        self.said: list[str] = []
        self._versions: dict[str, int] = {}
        self._news = asyncio.Condition()
        self._listen()

    def _listen(self) -> None:
        async def published(params: lsp.PublishDiagnosticsParams) -> None:
            async with self._news:
                self.published[Path(params.uri).name] = list(params.diagnostics)
                self._news.notify_all()

        def shown(params: lsp.ShowMessageParams) -> None:
            self.said.append(params.message)

        def logged(params: lsp.LogMessageParams) -> None:
            self.said.append(params.message)

        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(shown)
        self.client.feature(lsp.WINDOW_LOG_MESSAGE)(logged)

    async def start(self, encodings: list[lsp.PositionEncodingKind] | None = None) -> lsp.InitializeResult:
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
        await self.client.start_io(sys.executable, "-c", PROGRAM, env=environment)
        general = lsp.GeneralClientCapabilities(position_encodings=encodings)
        result = await self.client.initialize_async(
            lsp.InitializeParams(capabilities=lsp.ClientCapabilities(general=general), root_uri=self.root.as_uri())
        )
        self.client.initialized(lsp.InitializedParams())
        return result

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str | None = None) -> str:
        text = (self.root / name).read_text() if text is None else text
        item = lsp.TextDocumentItem(self.uri(name), "ddd", 1, text)
        self._versions[name] = 1
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return text

    def replace(self, name: str, text: str) -> None:
        """The whole text anew."""
        self.edit(name, lsp.TextDocumentContentChangeWholeDocument(text))

    def edit(self, name: str, change: lsp.TextDocumentContentChangeEvent) -> None:
        self._versions[name] += 1
        versioned = lsp.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(versioned, [change]))

    async def until(self, name: str, codes: list[str]) -> list[lsp.Diagnostic]:
        """Waits until just these codes are published for a file."""

        def there() -> bool:
            return name in self.published and [str(item.code) for item in self.published[name]] == codes

        async with self._news:
            try:
                await asyncio.wait_for(self._news.wait_for(there), LONGEST)
            except TimeoutError:
                raise AssertionError(f"{name} has {self.published.get(name)}; the server says {self.said}") from None
        return self.published[name]


def position(text: str, marked: str, *, behind: bool = False, nth: int = 1) -> lsp.Position:
    """Where `marked` stands in a text, or ends; columns as UTF-16 counts them."""
    offset = -1
    for _ in range(nth):
        offset = text.index(marked, offset + 1)
    offset += len(marked) if behind else 0
    line = text.count("\n", 0, offset)
    start = text.rfind("\n", 0, offset) + 1
    return lsp.Position(line, len(text[start:offset].encode("utf-16-le")) // 2)


def covered(text: str, found: lsp.Range) -> str:
    """What a range of one line holds; columns as UTF-16 counts them."""
    line = text.splitlines()[found.start.line].encode("utf-16-le")
    return line[found.start.character * 2 : found.end.character * 2].decode("utf-16-le")


async def hover(editor: Editor, name: str, where: lsp.Position) -> str:
    """The text that is shown for a place of a file; nothing when there is none."""
    found = await editor.client.text_document_hover_async(lsp.HoverParams(editor.document(name), where))
    if found is None:
        return ""
    assert isinstance(found.contents, lsp.MarkupContent)
    return found.contents.value


def edit_session(root: Path, script: Callable[[Editor], Awaitable[T]]) -> T:
    """Runs a script with an editor whose server has been started, and stops both."""

    async def run() -> T:
        editor = Editor(root)
        await editor.start()
        try:
            return await script(editor)
        finally:
            await editor.stop()

    return asyncio.run(run())
