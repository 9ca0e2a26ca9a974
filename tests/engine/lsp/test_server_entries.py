"""Names of what a context offers beside its types: projections, channels, handlers, services, conditions, rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from loom.parse import parse, tables
from tests.engine.lsp.editor import Editor, covered, edit_session, hover, position
from tests.kit.lowering import lower_files

NAME = "berths.ddd"
MODEL = """\
system HarbourSystem {
    storage mainStore { type: postgres }
    storage HTTPBroker { type: kafka }
    resource berthState { for: BerthKeeping, kind: state, use: mainStore, index: [HTTPBerth.class] }
    channelSource berthBroker { for: BerthNews, use: HTTPBroker }
    timerSource nightlyCheck { for: NightFell, cron: "0 3 * * *" }
    capability classified { grade: string = "" }

    subdomain Moorings {
        context BerthKeeping {
            event BerthTaken { berth: HTTPBerth id, class: string, at: datetime }
            event NightFell { at: datetime }
            error BerthGone { class: string }

            aggregate HTTPBerth with classified, crudish {
                class: string
                lengthMetres: int = 0
                operation take() {
                    lengthMetres := lengthMetres + 1
                    emit BerthTaken { berth: id, class: class, at: now() }
                }
            }
            repository HTTPBerths for HTTPBerth { find ofClass(class: string): HTTPBerth[] where this.class == class }

            criterion LongEnough(least: int) of HTTPBerth as one = one.lengthMetres >= least
            retrieval LongestFirst(class: string) of HTTPBerth {
                where: LongEnough(3) && this.class == class sort: [lengthMetres desc]
            }

            domainService BerthSwap {
                operation swapBoth(first: HTTPBerth, second: HTTPBerth) {
                    first.take()
                    second.take()
                }
            }

            projection BerthRow keyed by berth {
                berth: HTTPBerth id
                class: string = ""
                takenAt: datetime?
                on(taken: BerthTaken) by taken.berth {
                    class := taken.class
                    takenAt := taken.at
                }
            }
            projection LongBerths(least: int) {
                from HTTPBerth as h
                where h.lengthMetres > least
                select label = h.class, metres = h.lengthMetres
            }

            channel BerthNews { carries: BerthTaken, delivery: broadcast, retention: log, key: berth }

            queryHandler findBerths(class: string): HTTPBerth[] {
                let found = HTTPBerths.run(LongestFirst(class), page: { offset: 0, limit: 9 })
                return found
            }
            commandHandler takeBerth(berth: HTTPBerth id) {
                let taken = HTTPBerths.getById(berth)
                taken.take()
            }

            workflow NightWatch {
                berth: HTTPBerth id
                rounds: int = 0
                create(taken: BerthTaken) by taken.berth { }
                on(again: BerthTaken) by again.berth { rounds := rounds + 1 }
            }

            seed { HTTPBerth { class: "end" } }
        }
    }

    api BerthApi from Moorings {
        httpStatus BerthGone -> 410
        route GET "/long" -> BerthKeeping.findBerths
        route POST "/take" -> BerthKeeping.takeBerth
    }
    deployable BerthService {
        platform: python, contexts: [BerthKeeping], dataSources: [berthState], channels: [berthBroker], serves: BerthApi
    }
}
"""


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    (tmp_path / "loom.yaml").write_text(f"systems: {{harbour: {{entry: {NAME}}}}}\n")
    (tmp_path / NAME).write_text(MODEL)
    return tmp_path


async def defined(editor: Editor, marked: str) -> str:
    """The line of the definition of what begins where `marked` does."""
    where = lsp.DefinitionParams(editor.document(NAME), position(MODEL, marked))
    found = await editor.client.text_document_definition_async(where)
    assert isinstance(found, lsp.Location), marked
    assert marked.startswith(covered(MODEL, found.range)), marked
    return MODEL.splitlines()[found.range.start.line].strip()


def test_the_model_is_sound_but_for_a_timer_that_nobody_hears() -> None:
    parsed = parse(NAME, MODEL.encode(), tables=tables())
    lowered = lower_files({NAME: parsed.ast})
    found = [*parsed.diagnostics, *lowered.diagnostics(), *lowered.validated()]
    assert [problem.code for problem in found] == ["loom.timer-source-unbound"]


def test_each_name_leads_to_its_declaration(harbour: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open(NAME)
        for marked, line in (
            ("BerthNews, use", "channel BerthNews"),
            ("HTTPBroker }", "storage HTTPBroker"),
            ("NightFell, cron", "event NightFell"),
            ("HTTPBerth.class]", "aggregate HTTPBerth"),
            ("class] }", "class: string"),
            ("classified, crudish", "capability classified"),
            ("one.lengthMetres", "criterion LongEnough"),
            ("lengthMetres >= least", "lengthMetres: int"),
            ("least\n            retrieval", "criterion LongEnough"),
            ("LongEnough(3)", "criterion LongEnough"),
            ("lengthMetres desc", "lengthMetres: int"),
            ("first.take()", "operation swapBoth"),
            ("take()\n                    second", "operation take"),
            ("berth {\n                berth", "berth: HTTPBerth id"),
            ("BerthTaken) by taken.berth {\n                    class", "event BerthTaken"),
            ("class := taken.class", 'class: string = ""'),
            ("at\n                }", "event BerthTaken"),
            ("HTTPBerth as h", "aggregate HTTPBerth"),
            ("h.lengthMetres > least", "from HTTPBerth as h"),
            ("least\n                select", "projection LongBerths"),
            ("class, metres", "class: string"),
            ("BerthTaken, delivery", "event BerthTaken"),
            ("berth }\n\n            queryHandler", "event BerthTaken"),
            ("LongestFirst(class),", "retrieval LongestFirst"),
            ("class), page", "queryHandler findBerths"),
            ("found\n", "let found"),
            ("HTTPBerths.getById", "repository HTTPBerths"),
            ("taken.take()", "let taken"),
            ("rounds := rounds", "rounds: int"),
            ("again.berth", "on(again"),
            ('HTTPBerth { class: "end"', "aggregate HTTPBerth"),
            ("BerthGone -> 410", "error BerthGone"),
            ("findBerths\n", "queryHandler findBerths"),
            ("takeBerth\n", "commandHandler takeBerth"),
            ("berthBroker], serves", "channelSource berthBroker"),
        ):
            assert (await defined(editor, marked)).startswith(line), marked

    edit_session(harbour, script)


@pytest.mark.parametrize(
    ("marked", "parts"),
    [
        ("LongEnough(3)", ["criterion LongEnough(least: int) of HTTPBerth", "criterion of context `BerthKeeping`"]),
        ("LongestFirst(class),", ["retrieval LongestFirst(class: string) of HTTPBerth"]),
        ("findBerths\n", ["handler findBerths(class: string): HTTPBerth[]"]),
        ("metres =", ["metres: int", "select of projection `LongBerths`"]),
        ("BerthNews {", ["channel BerthNews"]),
        ("h.class, metres", ["h: HTTPBerth"]),
    ],
)
def test_hover_shows_what_was_declared(harbour: Path, marked: str, parts: list[str]) -> None:
    async def script(editor: Editor) -> str:
        editor.open(NAME)
        return await hover(editor, NAME, position(MODEL, marked))

    text = edit_session(harbour, script)
    for part in parts:
        assert part in text


def test_symbols_name_every_entry_and_what_is_in_it(harbour: Path) -> None:
    async def script(editor: Editor) -> list[lsp.DocumentSymbol]:
        editor.open(NAME)
        found = await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document(NAME)))
        return [item for item in found or () if isinstance(item, lsp.DocumentSymbol)]

    (system,) = edit_session(harbour, script)
    names = [item.name for item in system.children or ()]
    assert {"berthBroker", "nightlyCheck", "classified"} <= set(names)
    moorings = next(item for item in system.children or () if item.name == "Moorings")
    (context,) = moorings.children or ()
    inside = {item.name: [inner.name for inner in item.children or ()] for item in context.children or ()}
    assert {"LongEnough", "LongestFirst", "BerthNews", "findBerths", "takeBerth", "BerthSwap"} <= inside.keys()
    assert inside["BerthRow"] == ["berth", "class", "takenAt"] and inside["LongBerths"] == ["label", "metres"]


def test_rename_reaches_every_mention_of_an_entry(harbour: Path) -> None:
    async def script(editor: Editor) -> None:
        text = editor.open(NAME)
        for old, new, count in (
            ("LongEnough", "WideEnough", 2),
            ("findBerths", "longBerths", 2),
            ("BerthNews", "HTTPNews", 2),
            ("h\n                where", "berth", 4),
            ("lengthMetres:", "metresLong", 7),
        ):
            where = lsp.RenameParams(editor.document(NAME), position(text, old), new)
            edit = await editor.client.text_document_rename_async(where)
            assert edit is not None and edit.changes
            (changes,) = edit.changes.values()
            assert len(changes) == count, old

    edit_session(harbour, script)


async def completed(editor: Editor, old: str, new: str) -> set[str]:
    """What is suggested behind `new`, which stands where `old` did."""
    text = MODEL.replace(old, new, 1)
    assert text != MODEL and text.count(new) == 1
    editor.replace(NAME, text)
    where = position(text, new, behind=True)
    found = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document(NAME), where))
    assert isinstance(found, lsp.CompletionList)
    return {item.label for item in found.items}


def test_completion_inside_of_entries(harbour: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open(NAME)
        assert await completed(editor, "carries: BerthTaken", "carries: ") >= {"BerthTaken", "NightFell"}
        assert "HTTPBerth" not in await completed(editor, "carries: BerthTaken", "carries: ")
        row = await completed(editor, "takenAt := taken.at", "takenAt := taken.")
        assert row == {"berth", "class", "at"}
        assert "takenAt" in await completed(editor, "takenAt := taken.at", "\n                    take")
        assert {"class", "lengthMetres", "take"} <= await completed(editor, "where h.lengthMetres > least", "where h.")
        asked = "h\n                where "
        assert {"h", "least"} <= await completed(editor, f"{asked}h.lengthMetres > least", asked)
        read = await completed(editor, "HTTPBerths.run(LongestFirst(class)", "HTTPBerths.run(L")
        assert {"LongestFirst", "class"} <= read
        handlers = await completed(editor, '"/long" -> BerthKeeping.findBerths', '"/long" -> BerthKeeping.')
        assert handlers == {"findBerths", "takeBerth"}
        assert "take" in await completed(editor, "second.take()", "  second.")
        assert {"rounds", "again"} <= await completed(editor, "rounds := rounds + 1", "rounds := ")
        assert await completed(editor, "channels: [berthBroker", "channels: [") >= {"berthBroker"}

    edit_session(harbour, script)
