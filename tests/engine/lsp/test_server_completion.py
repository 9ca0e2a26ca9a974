"""What the server suggests while a model is typed."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from tests.engine.lsp.editor import Editor, edit_session, position
from tests.engine.lsp.models import MAIN, NAME, ROOMS


async def completed(editor: Editor, text: str, marked: str) -> list[lsp.CompletionItem]:
    """What is suggested behind `marked`, which the text holds once."""
    editor.replace(NAME, text)
    where = position(text, marked, behind=True)
    found = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document(NAME), where))
    assert isinstance(found, lsp.CompletionList)
    return list(found.items)


def labels(items: list[lsp.CompletionItem]) -> set[str]:
    return {item.label for item in items}


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
    assert {"PlotSize", "SoilClass", "FlowerBed", "string"} <= kinds
    assert not {"GardenPlots", "let", "label", "duration"} & kinds
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
