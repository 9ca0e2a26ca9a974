"""Names of who asks and what they may, of migrations, of what is wanted and met; and the capabilities behind `with`."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from loom.parse import parse, tables
from tests.engine.lsp.editor import Editor, covered, edit_session, hover, position
from tests.kit.lowering import lower_files

NAME = "cranes.ddd"
MODEL = """\
system CraneYard {
    user { role: string  permissions: string[]  yards: string[]  company: string }
    auth { provider: google  claims: { role: "realm.role" } }
    tenancy by user.company of CraneCompany
    capability classified { grade: string = "" }
    subdomain Lifting {
        permissions { liftHeavy, readHTTPLog implies liftHeavy }
        context CraneKeeping {
            policy mayLift(): bool = currentUser.permissions.contains(permissions.liftHeavy)
            aggregate CraneCompany { class: string }
            aggregate HTTPCrane crossTenant with classified, crudish {
                class: string
                order: int
                operation lift() requires currentUser.role == "foreman" && mayLift() { order := order + 1 }
                test "a crane" verifies TC-LIFT-1 { expect 1.max(2).toBe(2) }
            }
        }
    }
}
migration "classes" {
    HTTPCrane.kind -> class
    HTTPCrane.order = 3
    Cranes -> HTTPCrane
}
requirement US-001 { type: story, title: "cranes lift" }
requirement REQ-A-12 parent US-001 { type: story, title: "heavy ones too" }
solution SOL-1 for REQ-A-12 { title: "one operation" entitles [Lifting.CraneKeeping.HTTPCrane.lift] }
testCase TC-LIFT-1 verifies REQ-A-12 { covers [CraneKeeping.HTTPCrane] }
"""


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    (tmp_path / "loom.yaml").write_text(f"systems: {{yard: {{entry: {NAME}}}}}\n")
    (tmp_path / NAME).write_text(MODEL)
    return tmp_path


def test_the_model_is_sound() -> None:
    parsed = parse(NAME, MODEL.encode(), tables=tables())
    lowered = lower_files({NAME: parsed.ast})
    found = [*parsed.diagnostics, *lowered.diagnostics(), *lowered.validated()]
    assert [f"{problem.code} {problem.text()}" for problem in found] == []


async def defined(editor: Editor, marked: str, nth: int = 1) -> str:
    """The line of the definition of what begins where `marked` does."""
    where = lsp.DefinitionParams(editor.document(NAME), position(MODEL, marked, nth=nth))
    found = await editor.client.text_document_definition_async(where)
    assert isinstance(found, lsp.Location), marked
    return MODEL.splitlines()[found.range.start.line].strip()


def test_each_name_leads_to_its_declaration(yard: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open(NAME)
        for marked, line in (
            ('role: "realm', "user {"),
            ("company of", "user {"),
            ("CraneCompany\n", "aggregate CraneCompany"),
            ("liftHeavy }", "permissions {"),
            ("currentUser.permissions", "user {"),
            ("permissions.contains", "user {"),
            ("permissions.liftHeavy", "permissions {"),
            ("liftHeavy)\n", "permissions {"),
            ("currentUser.role", "user {"),
            ('role == "foreman"', "user {"),
            ("mayLift() {", "policy mayLift"),
            ("classified, crudish", "capability classified"),
            ("TC-LIFT-1 {", "testCase TC-LIFT-1"),
            ("HTTPCrane.kind", "aggregate HTTPCrane"),
            ("class\n    HTTPCrane.order", "class: string"),
            ("order = 3", "order: int"),
            ("HTTPCrane\n}\nrequirement", "aggregate HTTPCrane"),
            ('US-001 { type: story, title: "heavy', "requirement US-001"),
            ("REQ-A-12 { title", "requirement REQ-A-12"),
            ("12 { covers", "requirement REQ-A-12"),
            ("Lifting.CraneKeeping", "subdomain Lifting"),
            ("CraneKeeping.HTTPCrane.lift", "context CraneKeeping"),
            ("HTTPCrane.lift", "aggregate HTTPCrane"),
            ("lift] }", "operation lift"),
        ):
            assert (await defined(editor, marked)).startswith(line), marked

    edit_session(yard, script)


@pytest.mark.parametrize(
    ("marked", "part"),
    [
        ('role == "foreman"', "claim role: string"),
        ("liftHeavy)\n", "permission liftHeavy"),
        ("REQ-A-12 { title", "requirement REQ-A-12"),
        ("TC-LIFT-1 {", "testCase TC-LIFT-1"),
    ],
)
def test_hover_shows_what_was_declared(yard: Path, marked: str, part: str) -> None:
    async def script(editor: Editor) -> str:
        editor.open(NAME)
        return await hover(editor, NAME, position(MODEL, marked))

    assert part in edit_session(yard, script)


async def _renamed(editor: Editor, marked: str, name: str) -> str:
    where = position(MODEL, marked)
    edit = await editor.client.text_document_rename_async(lsp.RenameParams(editor.document(NAME), where, name))
    assert edit is not None and edit.changes is not None
    lines = MODEL.splitlines(keepends=True)
    (changes,) = edit.changes.values()
    for change in sorted(changes, key=lambda item: (item.range.start.line, item.range.start.character), reverse=True):
        line, first, last = change.range.start.line, change.range.start.character, change.range.end.character
        lines[line] = lines[line][:first] + change.new_text + lines[line][last:]
    return "".join(lines)


@pytest.mark.parametrize(
    ("marked", "name", "old"),
    [
        ("liftHeavy)\n", "liftHTTP", "liftHeavy"),
        ("REQ-A-12 { title", "REQ-B-end", "REQ-A-12"),
        ("TC-LIFT-1 {", "TC-2", "TC-LIFT-1"),
        ("company of", "tenant", "company"),
    ],
)
def test_a_name_is_another_wherever_it_stands(yard: Path, marked: str, name: str, old: str) -> None:
    async def script(editor: Editor) -> str:
        editor.open(NAME)
        return await _renamed(editor, marked, name)

    assert edit_session(yard, script) == MODEL.replace(old, name)


def test_references_of_a_claim_are_all_its_places(yard: Path) -> None:
    async def script(editor: Editor) -> list[str]:
        editor.open(NAME)
        where = position(MODEL, 'role == "foreman"')
        context = lsp.ReferenceContext(include_declaration=True)
        params = lsp.ReferenceParams(context, editor.document(NAME), where)
        found = await editor.client.text_document_references_async(params) or []
        return [MODEL.splitlines()[item.range.start.line].split()[0] for item in found]

    assert edit_session(yard, script) == ["user", "auth", "operation"]


@pytest.mark.parametrize(("marked", "name"), [("currentUser.role", "caller"), ("permissions.liftHeavy", "rights")])
def test_what_the_language_names_is_not_renamed(yard: Path, marked: str, name: str) -> None:
    async def script(editor: Editor) -> str:
        editor.open(NAME)
        with pytest.raises(JsonRpcException) as refused:
            await _renamed(editor, marked, name)
        return str(refused.value)

    assert "has its name from the language" in edit_session(yard, script)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('role == "foreman"', '@ == "foreman"', {"role", "permissions", "company", "yards"}),
        ("permissions.liftHeavy)", "permissions.@)", {"liftHeavy", "readHTTPLog"}),
        ("requires currentUser.role", "requires @", {"currentUser", "permissions", "order", "mayLift"}),
        ("implies liftHeavy }", "implies @ }", {"liftHeavy", "readHTTPLog"}),
        ("user.company of", "user.@ of", {"role", "company"}),
        ("with classified, crudish", "with @", {"classified", "crudish", "softDeletable", "auditable"}),
        ("HTTPCrane.kind -> class", "HTTPCrane.kind -> @", {"class", "order"}),
        ("parent US-001", "parent @", {"US-001", "REQ-A-12"}),
        ("verifies TC-LIFT-1 {", "verifies @ {", {"TC-LIFT-1"}),
    ],
)
def test_what_may_stand_there_is_offered(yard: Path, old: str, new: str, wanted: set[str]) -> None:
    marked = MODEL.replace(old, new, 1)
    text = marked.replace("@", "", 1)

    async def script(editor: Editor) -> set[str]:
        editor.open(NAME, text)
        where = position(marked, "@")
        found = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document(NAME), where))
        items = found.items if isinstance(found, lsp.CompletionList) else found or []
        return {item.label for item in items}

    assert wanted <= edit_session(yard, script)


def test_a_name_with_dashes_is_one_place(yard: Path) -> None:
    async def script(editor: Editor) -> str:
        editor.open(NAME)
        where = lsp.DefinitionParams(editor.document(NAME), position(MODEL, "12 { covers"))
        found = await editor.client.text_document_definition_async(where)
        assert isinstance(found, lsp.Location)
        return covered(MODEL, found.range)

    assert edit_session(yard, script) == "REQ-A-12"
