"""Quick fixes, asked for by a real editor: the word that was meant, where the compiler knows it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types as lsp

from tests.engine.lsp.editor import Editor, covered, edit_session, position
from tests.engine.lsp.models import NAME, ROOMS

WRONG = ROOMS.replace("size: PlotSize\n", "size: PlotSise\n", 1)


async def asked(editor: Editor, where: lsp.Range, only: list[str] | None = None) -> list[lsp.CodeAction]:
    context = lsp.CodeActionContext(editor.published.get(NAME, []), only=only)
    params = lsp.CodeActionParams(editor.document(NAME), where, context)
    found = await editor.client.text_document_code_action_async(params) or []
    return [item for item in found if isinstance(item, lsp.CodeAction)]


def at(marked: str) -> lsp.Range:
    return lsp.Range(position(WRONG, marked), position(WRONG, marked, behind=True))


def test_the_word_that_was_meant_is_put_in_its_place(root: Path) -> None:
    async def script(editor: Editor) -> lsp.CodeAction:
        editor.open(NAME, WRONG)
        await editor.until(NAME, ["loom.unknown-type"])
        (action,) = await asked(editor, at("PlotSise"))
        assert action.edit is not None and action.edit.changes is not None
        (edit,) = action.edit.changes[editor.uri(NAME)]
        assert (covered(WRONG, edit.range), edit.new_text) == ("PlotSise", "PlotSize")
        editor.edit(NAME, lsp.TextDocumentContentChangePartial(edit.range, edit.new_text))
        await editor.until(NAME, [])
        return action

    action = edit_session(root, script)
    assert (action.title, action.kind, action.is_preferred) == ("Write `PlotSize`", lsp.CodeActionKind.QuickFix, True)
    assert [str(item.code) for item in action.diagnostics or []] == ["loom.unknown-type"]


def test_nothing_is_offered_elsewhere_nor_where_other_things_are_asked_for(root: Path) -> None:
    async def script(editor: Editor) -> list[int]:
        editor.open(NAME, WRONG)
        await editor.until(NAME, ["loom.unknown-type"])
        everywhere = lsp.Range(lsp.Position(0, 0), lsp.Position(len(WRONG.splitlines()), 0))
        asked_for = [
            await asked(editor, at("subdomain")),
            await asked(editor, at("PlotSise"), [lsp.CodeActionKind.Refactor]),
            await asked(editor, at("PlotSise"), [lsp.CodeActionKind.QuickFix]),
            await asked(editor, everywhere),
        ]
        return [len(found) for found in asked_for]

    assert edit_session(root, script) == [0, 0, 1, 1]


def test_an_editor_is_told_that_there_are_quick_fixes(root: Path) -> None:
    editor = Editor(root)

    async def run() -> object:
        result = await editor.start()
        await editor.stop()
        return result.capabilities.code_action_provider

    offered = asyncio.run(run())
    assert isinstance(offered, lsp.CodeActionOptions)
    assert tuple(offered.code_action_kinds or ()) == (lsp.CodeActionKind.QuickFix,)
