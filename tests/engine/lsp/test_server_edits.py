"""Edits that the server proposes, made as an editor makes them: renames and layouts."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from loom.parse.formatter import format_text
from tests.engine.lsp.editor import Editor, covered, edit_session, position
from tests.engine.lsp.models import NAME, ROOMS


def test_rename_changes_every_mention_and_the_model_stays_sound(root: Path) -> None:
    async def script(editor: Editor) -> None:
        texts = {"main.ddd": editor.open("main.ddd"), NAME: editor.open(NAME)}
        for old, new in (
            ("SoilClass", "HTTPSoil"),
            ("PlotKeeping", "PlotCare"),
            ("hire(", "rent"),
            ("beds:", "plots"),
            ("GardenPlot {", "HTTPPlot"),
            ("HireGardenPlots", "LetPlots"),
            ("label:", "plotTitle"),
        ):
            where = lsp.RenameParams(editor.document(NAME), position(texts[NAME], old), new)
            edit = await editor.client.text_document_rename_async(where)
            assert edit is not None and edit.changes
            for uri, changes in edit.changes.items():
                name = Path(uri).name
                texts[name] = applied(texts[name], list(changes))
                editor.replace(name, texts[name])
        assert "SoilClass" not in texts[NAME] + texts["main.ddd"] and "contexts: [PlotCare]" in texts["main.ddd"]
        assert "plot.rent(HTTPLink)" in texts[NAME] and "plots.any(bed => bed.order > 0)" in texts[NAME]
        for called in (
            "api.httpPlots.create({ label:", "api.workflows.letPlots({", "api.workflows.letPlots.planted({",
            "api.httpPlots.rent(plot, {", "seen.plotTitle.toBe",
        ):  # fmt: skip
            assert called in texts["main.ddd"]
        editor.published.clear()
        editor.replace(NAME, texts[NAME] + "\n")
        await editor.until(NAME, [])
        await editor.until("main.ddd", [])

    edit_session(root, script)


def applied(text: str, changes: list[lsp.TextEdit]) -> str:
    """A text with edits made in it, from the last to the first."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(changes, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        start, end = edit.range.start, edit.range.end
        first, last = (
            lines[start.line].encode("utf-16-le"),
            lines[end.line].encode("utf-16-le") if end.line < len(lines) else b"",
        )
        joined = (
            first[: 2 * start.character].decode("utf-16-le")
            + edit.new_text
            + last[2 * end.character :].decode("utf-16-le")
        )
        lines[start.line : end.line + 1] = [joined]
        lines = "".join(lines).splitlines(keepends=True)
    return "".join(lines)


def test_rename_refuses_what_is_no_name(root: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open(NAME)
        for wrong in ("two words", "3rd", "", "true"):
            where = lsp.RenameParams(editor.document(NAME), position(ROOMS, "hire("), wrong)
            with pytest.raises(JsonRpcException, match="cannot be a name"):
                await editor.client.text_document_rename_async(where)
        keyword = lsp.PrepareRenameParams(editor.document(NAME), position(ROOMS, "operation"))
        assert await editor.client.text_document_prepare_rename_async(keyword) is None
        name = lsp.PrepareRenameParams(editor.document(NAME), position(ROOMS, "hire("))
        found = await editor.client.text_document_prepare_rename_async(name)
        assert isinstance(found, lsp.Range) and covered(ROOMS, found) == "hire"

    edit_session(root, script)


def test_formatting_gives_the_canonical_text_in_small_edits(root: Path) -> None:
    untidy = ROOMS.replace("size := size\n", "size   :=size\n").replace("order: int", "order :int")

    async def script(editor: Editor) -> tuple[str, str, object]:
        editor.open(NAME, untidy)
        options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
        every = lsp.DocumentFormattingParams(editor.document(NAME), options)
        found = await editor.client.text_document_formatting_async(every)
        line = position(untidy, "order :int").line
        part = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 30))
        some = lsp.DocumentRangeFormattingParams(editor.document(NAME), part, options)
        ranged = await editor.client.text_document_range_formatting_async(some)
        assert found and len(found) < 8
        editor.replace(NAME, untidy + "}")
        broken = await editor.client.text_document_formatting_async(every)
        return applied(untidy, list(found)), applied(untidy, list(ranged or ())), broken

    whole, part, broken = edit_session(root, script)
    assert whole == format_text(NAME, untidy.encode()) == format_text(NAME, ROOMS.encode())
    assert part == untidy.replace("order :int", "order: int")
    assert broken is None
