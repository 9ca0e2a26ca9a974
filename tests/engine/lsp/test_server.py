"""The language server as an editor meets it: a real client, over standard input and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from loom.parse.formatter import format_text
from tests.bench.synth import Size, project
from tests.engine.lsp.editor import CHECKOUT, Editor, covered, edit_session, position
from tests.engine.lsp.models import MAIN, ROOMS, write

NAME = "rooms.ddd"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path)


def place(found: lsp.Location | None) -> tuple[str, str]:
    """File and text of a location."""
    assert found is not None
    name = Path(found.uri).name
    return name, covered({"main.ddd": MAIN, NAME: ROOMS}[name], found.range)


async def definition(editor: Editor, marked: str, nth: int = 1) -> lsp.Location | None:
    where = position(ROOMS, marked, nth=nth)
    found = await editor.client.text_document_definition_async(lsp.DefinitionParams(editor.document(NAME), where))
    assert found is None or isinstance(found, lsp.Location)
    return found


async def completed(editor: Editor, text: str, marked: str) -> list[lsp.CompletionItem]:
    """What is suggested behind `marked`, which the text holds once."""
    editor.replace(NAME, text)
    where = position(text, marked, behind=True)
    found = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document(NAME), where))
    assert isinstance(found, lsp.CompletionList)
    return list(found.items)


def labels(items: list[lsp.CompletionItem]) -> set[str]:
    return {item.label for item in items}


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


def test_columns_count_as_the_editor_counts(root: Path) -> None:
    """The seedling is two units of UTF-16, and one code point."""
    text = ROOMS.replace("immutable // a seedling", "imutable // a seedling")

    async def script(editor: Editor) -> lsp.Range:
        editor.open(NAME, text)
        return (await editor.until(NAME, ["loom.parse-error"]))[0].range

    assert covered(text, edit_session(root, script)) == "imutable"


@pytest.mark.parametrize(
    ("marked", "nth", "file", "declared"),
    [
        ("PlotSize", 1, "main.ddd", "PlotSize"),
        ("SoilClass", 1, "main.ddd", "SoilClass"),
        ("GardenPlot id", 1, NAME, "GardenPlot"),
        ("FlowerBed[]", 1, NAME, "FlowerBed"),
        ("Let\n", 1, NAME, "Let"),
        ("beds.any", 1, NAME, "beds"),
        ("order > 0", 1, NAME, "order"),
        ("bed.order", 1, NAME, "bed"),
        ("bedCount}", 1, NAME, "bedCount"),
        ("link }", 1, NAME, "link"),
        ("PlotLet { plot: id", 1, NAME, "PlotLet"),
        ("HTTPLink: link", 1, NAME, "HTTPLink"),
        ("inState(Free", 1, NAME, "inState"),
        ("GardenPlots.inState", 1, NAME, "GardenPlots"),
        ("hire(HTTPLink)", 1, NAME, "hire"),
        ("added.hire", 1, NAME, "added"),
        ("class: Peat", 1, NAME, "class"),
        ("Peat", 1, "main.ddd", "Peat"),
        ("state == state", 1, NAME, "state"),
    ],
)
def test_definition_of_each_kind_of_name(root: Path, marked: str, nth: int, file: str, declared: str) -> None:
    async def script(editor: Editor) -> lsp.Location | None:
        editor.open(NAME)
        return await definition(editor, marked, nth)

    assert place(edit_session(root, script)) == (file, declared)


def test_definition_tells_namesakes_apart(root: Path) -> None:
    """`label := label` names the field, then the parameter."""

    async def script(editor: Editor) -> list[int]:
        editor.open(NAME)
        found = [await definition(editor, marked) for marked in ("label := label", "label\n")]
        return [item.range.start.line for item in found if item]

    field, parameter = edit_session(root, script)
    lines = ROOMS.splitlines()
    assert lines[field].lstrip().startswith("label: string =") and lines[parameter].lstrip().startswith("create(label")


def test_references_cross_files_and_leave_namesakes_out(root: Path) -> None:
    async def script(editor: Editor) -> tuple[list[lsp.Location], list[lsp.Location]]:
        editor.open("main.ddd")
        wanted = position(MAIN, "PlotSize")
        every = lsp.ReferenceParams(lsp.ReferenceContext(True), editor.document("main.ddd"), wanted)
        others = lsp.ReferenceParams(lsp.ReferenceContext(False), editor.document("main.ddd"), wanted)
        found = [await editor.client.text_document_references_async(item) for item in (every, others)]
        return list(found[0] or ()), list(found[1] or ())

    every, others = edit_session(root, script)
    assert sorted(map(place, every)) == [("main.ddd", "PlotSize")] * 2 + [(NAME, "PlotSize")] * 3
    assert len(others) == len(every) - 1


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


@pytest.mark.parametrize(
    ("marked", "parts"),
    [
        ("hire(HTTPLink)", ["operation hire(HTTPLink: string)", "operation of aggregate `GardenPlot`"]),
        ("plot.hire", ["plot: GardenPlot"]),
        ("class: SoilClass\n", ["class: SoilClass"]),
        ("PlotState {", ["enum PlotState", "Free, Let"]),
        ("inState(Free", ["find inState(state: PlotState): GardenPlot[]"]),
        ("bed.order", ["bed: FlowerBed"]),
        ("link }", ["link: string"]),
    ],
)
def test_hover_shows_what_was_declared(root: Path, marked: str, parts: list[str]) -> None:
    async def script(editor: Editor) -> str:
        editor.open(NAME)
        return await hover(editor, position(ROOMS, marked))

    text = edit_session(root, script)
    for part in parts:
        assert part in text


async def hover(editor: Editor, where: lsp.Position) -> str:
    found = await editor.client.text_document_hover_async(lsp.HoverParams(editor.document(NAME), where))
    if found is None:
        return ""
    assert isinstance(found.contents, lsp.MarkupContent)
    return found.contents.value


def test_names_in_end_to_end_tests_are_followed(root: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open("main.ddd")
        document = editor.document("main.ddd")
        for marked, declared in (
            ("gardenPlots.create", "GardenPlot"), ("hireGardenPlots(", "HireGardenPlots"), ("planted(", "planted"),
            ("hire(plot", "hire"), ("label.toBe", "label"), ("size: { width: 1, length: 2 } })", "size"),
        ):  # fmt: skip
            where = lsp.DefinitionParams(document, position(MAIN, marked))
            found = await editor.client.text_document_definition_async(where)
            assert isinstance(found, lsp.Location) and place(found) == (NAME, declared), marked
        for marked in ("gardenPlots.create", "api.gardenPlots"):
            prepared = lsp.PrepareRenameParams(document, position(MAIN, marked))
            assert await editor.client.text_document_prepare_rename_async(prepared) is None

    edit_session(root, script)


def test_hover_on_a_mistake_is_its_manual_page(root: Path) -> None:
    text = ROOMS.replace("size: PlotSize\n", "size: PlotSise\n")

    async def script(editor: Editor) -> tuple[str, str]:
        editor.open(NAME, text)
        await editor.until(NAME, ["loom.unknown-type"])
        return await hover(editor, position(text, "PlotSise")), await hover(editor, position(text, "subdomain"))

    page, nothing = edit_session(root, script)
    assert page.startswith("**loom.unknown-type**: unknown type `PlotSise`\n\nA type is named that nothing declares.")
    assert nothing == ""


def test_symbols_are_nested_as_declarations_are(root: Path) -> None:
    async def script(editor: Editor) -> list[lsp.DocumentSymbol]:
        editor.open(NAME)
        found = await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document(NAME)))
        return [item for item in found or () if isinstance(item, lsp.DocumentSymbol)]

    (subdomain,) = edit_session(root, script)
    (context,) = subdomain.children or ()
    names = [item.name for item in context.children or ()]
    assert names == ["PlotState", "PlotLet", "GardenPlot", "GardenPlots", "HireGardenPlots"]
    plot = next(item for item in context.children or () if item.name == "GardenPlot")
    assert plot.kind is lsp.SymbolKind.Class
    assert [item.name for item in plot.children or ()][-2:] == ["create", "hire"]
    for outer in (subdomain, context, plot):
        for inner in outer.children or ():
            assert (outer.range.start.line, outer.range.start.character) <= (
                inner.range.start.line, inner.range.start.character
            )  # fmt: skip
            assert outer.range.end.line >= inner.range.end.line
            assert covered(ROOMS, inner.selection_range) == inner.name


def test_completion_of_members_behind_a_dot(root: Path) -> None:
    async def script(editor: Editor) -> list[set[str]]:
        editor.open(NAME)
        return [
            labels(await completed(editor, ROOMS.replace(old, new), new))
            for old, new in (("plot.hire(HTTPLink)", "plot."), ("bed.order > 0", "bed."),
                             ("GardenPlots.inState(Free)", "GardenPlots."), ("this.state == state", "this."))
        ]  # fmt: skip

    plot, bed, repository, this = edit_session(root, script)
    assert {"hire", "label", "bedCount"} <= plot and not {"if", "HireGardenPlots", "true"} & plot
    assert bed == {"order"}
    assert repository == {"inState"}
    assert {"state", "class"} <= this


def test_completion_of_names_in_scope_and_of_expected_values(root: Path) -> None:
    async def script(editor: Editor) -> tuple[list[lsp.CompletionItem], set[str], set[str], set[str]]:
        editor.open(NAME)
        value = await completed(editor, ROOMS.replace("state := Let\n", "state := \n"), "state := ")
        kinds = labels(await completed(editor, ROOMS.replace("size: PlotSize\n", "size: Pl\n"), "size: Pl"))
        local = labels(await completed(editor, ROOMS.replace("HTTPLink: link }", "HTTPLink: l }"), "HTTPLink: l"))
        start = labels(await completed(editor, ROOMS.replace("let link = HTTPLink", "l"), "\n                l"))
        return value, kinds, local, start

    value, kinds, local, start = edit_session(root, script)
    assert [item.label for item in value][:2] == ["Free", "Let"]
    assert {"PlotSize", "SoilClass", "FlowerBed", "string"} <= kinds and not {"GardenPlots", "let", "label"} & kinds
    assert {"link", "HTTPLink", "label", "beds"} <= local
    assert {"let", "emit", "state"} <= start and "aggregate" not in start


def test_completion_of_what_a_clause_an_event_and_a_builder_take(root: Path) -> None:
    async def script(editor: Editor) -> tuple[set[str], set[str], set[str]]:
        editor.open(NAME)
        emitted = "emit PlotLet { plot: id, HTTPLink: link }"
        events = labels(await completed(editor, ROOMS.replace(emitted, "emit P"), "emit P"))
        fields = labels(await completed(editor, ROOMS.replace("id, HTTPLink: link }", "id, H }"), "plot: id, H"))
        editor.open("main.ddd")
        text = MAIN.replace("contexts: [PlotKeeping]", "contexts: [Pl]")
        editor.replace("main.ddd", text)
        where = lsp.CompletionParams(editor.document("main.ddd"), position(text, "contexts: [Pl", behind=True))
        found = await editor.client.text_document_completion_async(where)
        assert isinstance(found, lsp.CompletionList)
        return events, fields, labels(list(found.items))

    events, fields, contexts = edit_session(root, script)
    assert events == {"PlotLet"}
    assert fields == {"HTTPLink"}
    assert contexts - {"true", "false"} == {"PlotKeeping"}


def test_completion_of_keywords_where_they_may_stand(root: Path) -> None:
    async def script(editor: Editor) -> tuple[set[str], set[str], set[str]]:
        editor.open(NAME)
        top = labels(await completed(editor, ROOMS + "\nag", "\nag"))
        member = labels(await completed(editor, ROOMS.replace("derived bedCount", "de\nderived bedCount"), "de\n"))
        clause = labels(await completed(editor, ROOMS.replace("when state == Free", "w"), "(HTTPLink: string) w"))
        return top, member, clause

    top, member, clause = edit_session(root, script)
    assert {"context", "system", "import", "enum"} <= top and "aggregate" not in top
    assert {"derived", "operation", "invariant"} <= member and not {"system", "emit"} & member
    assert {"when", "requires"} <= clause and "operation" not in clause


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
    assert done.returncode == 1 and "pip install 'loom-ddd[lsp]'" in done.stderr and "Traceback" not in done.stderr
