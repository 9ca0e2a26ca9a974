"""Finding one's way in a model: definitions, references, what a name was declared as, symbols."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.engine.lsp.editor import Editor, covered, edit_session, hover, position
from tests.engine.lsp.models import MAIN, NAME, ROOMS


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
        return await hover(editor, NAME, position(ROOMS, marked))

    text = edit_session(root, script)
    for part in parts:
        assert part in text


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
