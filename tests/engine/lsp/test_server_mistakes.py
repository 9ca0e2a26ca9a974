"""Mistakes as an editor shows them, whatever is typed: a real client, over standard input and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lsprotocol import types as lsp

from tests.bench.synth import Size, project
from tests.engine.lsp.editor import CHECKOUT, Editor, covered, edit_session, hover, position
from tests.engine.lsp.models import MAIN, NAME, ROOMS


def test_mistakes_appear_and_go_as_text_is_typed(root: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open(NAME)
        await editor.until(NAME, [])
        start = position(ROOMS, "PlotSize\n")
        change = lsp.TextDocumentContentChangePartial(
            range=lsp.Range(start, lsp.Position(start.line, start.character + 8)), text="PlotSise"
        )
        editor.edit(NAME, change)
        found = await editor.until(NAME, ["loom.unknown-type"])
        assert found[0].severity is lsp.DiagnosticSeverity.Error and found[0].source == "loom"
        assert "did you mean `PlotSize`?" in found[0].message
        assert covered(ROOMS.replace("size: PlotSize\n", "size: PlotSise\n"), found[0].range) == "PlotSise"
        editor.replace(NAME, ROOMS)
        await editor.until(NAME, [])
        editor.replace(NAME, ROOMS + "}")
        await editor.until(NAME, ["loom.parse-error"])

    edit_session(root, script)


def test_mistake_in_one_file_shows_in_another_and_nothing_is_written(root: Path) -> None:
    before = sorted(path.name for path in root.rglob("*"))

    async def script(editor: Editor) -> None:
        editor.open("main.ddd")
        await editor.until("main.ddd", [])
        editor.replace("main.ddd", MAIN.replace("PlotSize {", "PlotMeasure {").replace("other: PlotSize", "other: int"))
        await editor.until(NAME, ["loom.unknown-type"] * 3)
        editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(editor.document("main.ddd")))
        await editor.until(NAME, [])
        await editor.until("main.ddd", [])

    edit_session(root, script)
    left = {path.name for path in root.rglob("*")} - set(before)
    assert left <= {".loom", "project.marshal"}
    assert (root / NAME).read_text() == ROOMS


def test_mistake_of_an_end_to_end_test_is_seen_against_the_planned_routes(root: Path) -> None:
    text = MAIN.replace("seen.label.toBe", "seen.lable.toBe")

    async def script(editor: Editor) -> lsp.Diagnostic:
        editor.open("main.ddd", text)
        return (await editor.until("main.ddd", ["loom.e2e-unknown-member"]))[0]

    found = edit_session(root, script)
    assert "did you mean `label`?" in found.message and covered(text, found.range) == "lable"


def test_columns_count_as_the_editor_counts(root: Path) -> None:
    """The seedling is two units of UTF-16, and one code point."""
    text = ROOMS.replace("immutable // a seedling", "imutable // a seedling")

    async def script(editor: Editor) -> lsp.Range:
        editor.open(NAME, text)
        return (await editor.until(NAME, ["loom.parse-error"]))[0].range

    assert covered(text, edit_session(root, script)) == "imutable"


def test_hover_on_a_mistake_is_its_manual_page(root: Path) -> None:
    text = ROOMS.replace("size: PlotSize\n", "size: PlotSise\n")

    async def script(editor: Editor) -> tuple[str, str]:
        editor.open(NAME, text)
        await editor.until(NAME, ["loom.unknown-type"])
        return await hover(editor, NAME, position(text, "PlotSise")), await hover(
            editor, NAME, position(text, "subdomain")
        )

    page, nothing = edit_session(root, script)
    assert page.startswith("**loom.unknown-type**: unknown type `PlotSise`\n\nA type is named that nothing declares.")
    assert nothing == ""


def test_file_outside_of_every_project_is_looked_at_alone(tmp_path: Path) -> None:
    async def script(editor: Editor) -> list[lsp.Diagnostic]:
        editor.open("alone.ddd", "enum SoilClass { Loam, Loam }\nenum {}\n")
        return await editor.until("alone.ddd", ["loom.parse-error"])

    assert "expected" in edit_session(tmp_path, script)[0].message


def test_half_typed_texts_never_bring_the_server_down(root: Path) -> None:
    """Every prefix of a file, with an answer asked for at each."""

    async def script(editor: Editor) -> list[str]:
        editor.open(NAME)
        for end in range(0, len(ROOMS), 97):
            text = ROOMS[:end]
            editor.replace(NAME, text)
            where = lsp.Position(text.count("\n"), len(text.rpartition("\n")[2].encode("utf-16-le")) // 2)
            document = editor.document(NAME)
            await editor.client.text_document_completion_async(lsp.CompletionParams(document, where))
            await editor.client.text_document_hover_async(lsp.HoverParams(document, where))
            await editor.client.text_document_definition_async(lsp.DefinitionParams(document, where))
            await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        editor.replace(NAME, ROOMS)
        await editor.until(NAME, [])
        return editor.said

    assert edit_session(root, script) == []


def test_mistake_in_two_thousand_lines_shows_and_goes(tmp_path: Path) -> None:
    for name, text in project(Size(1, 27, 1)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    name = "model/pit_0.ddd"
    sound = (tmp_path / name).read_text()
    assert sound.count("\n") >= 2000

    async def script(editor: Editor) -> None:
        editor.open(name)
        await editor.until("pit_0.ddd", [])
        for number in range(3):
            editor.replace(name, sound.replace(": string", f": strin{number}g", 1))
            await editor.until("pit_0.ddd", ["loom.unknown-type"])
            editor.replace(name, sound)
            await editor.until("pit_0.ddd", [])

    edit_session(tmp_path, script)


def test_missing_pygls_is_named_with_the_way_to_get_it(tmp_path: Path) -> None:
    program = "import sys; sys.modules['pygls'] = None; from loom.cli import main; sys.exit(main(['lsp']))"
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "pip install 'loom-ddd[lsp]'" in done.stderr and "Traceback" not in done.stderr
