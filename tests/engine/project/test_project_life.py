"""A project through its life, by the commands that a person types: the starter, generated, changed, recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[3]


class Said(NamedTuple):
    """How a command ended, and the marks of the tasks that it names."""

    code: int
    text: str

    @property
    def ran(self) -> set[str]:
        return {line[3:] for line in self.text.splitlines() if line.startswith(".  ")}


class Shed(NamedTuple):
    """The starter's folder; `loom(...)` is what a person types there."""

    root: Path

    def loom(self, *words: str) -> Said:
        program = f"import sys; from loom.cli import main; sys.exit(main({list(words)!r}))"
        variables = {**os.environ, "PYTHONPATH": str(CHECKOUT), "LOOM_STORE": str(self.root / ".loom/store")}
        variables.pop("LOOM_LOCKED", None)
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=self.root, env=variables, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return Said(done.returncode, done.stdout + done.stderr)

    def change(self, old: str, new: str) -> None:
        model = self.root / "model/main.ddd"
        text = model.read_text()
        assert old in text
        model.write_text(text.replace(old, new, 1))


@pytest.fixture
def shed(tmp_path: Path) -> Shed:
    project = Shed(tmp_path)
    assert project.loom("init").code == 0
    assert project.loom("generate").code == 0
    return project


def test_edited_file_stops_generate_and_is_named(shed: Shed) -> None:
    mine = shed.root / "out/tool_shed/shed_service/Dockerfile"
    mine.write_text("FROM scratch\n")
    shed.change("label: string\n", "label: string\n                shelf: string?\n")
    stopped = shed.loom("generate")
    assert stopped.code == 1
    assert "out/tool_shed/shed_service/Dockerfile: was edited" in stopped.text
    assert mine.read_text() == "FROM scratch\n"
    assert "shelf" not in (shed.root / "out/tool_shed/shed_service/openapi.json").read_text()
    assert shed.loom("generate", "--overwrite").code == 0
    assert mine.read_text().startswith("ARG BASE=")
    assert "shelf" in (shed.root / "out/tool_shed/shed_service/openapi.json").read_text()


def test_deleted_file_returns_without_a_stage(shed: Shed) -> None:
    (shed.root / "out/tool_shed/docker-compose.yml").unlink()
    again = shed.loom("generate")
    assert again.ran == set(), again.text
    assert (shed.root / "out/tool_shed/docker-compose.yml").is_file()


def test_file_that_nothing_makes_any_more_goes(shed: Shed) -> None:
    test = shed.root / "out/tool_shed/shed_service/tests/test_tool.py"
    assert test.is_file()
    text = (shed.root / "model/main.ddd").read_text()
    start = text.index('                test "a tool is lent')
    shed.change(text[start : text.index("            }\n\n            repository")], "")
    assert shed.loom("generate").code == 0
    assert not test.exists()


def test_pending_migration_is_refused_when_locked_until_it_is_recorded(shed: Shed) -> None:
    refused = shed.loom("generate", "--locked")
    assert refused.code == 1
    assert "error[loom.migration-pending]: the migration of ToolLending is not recorded" in refused.text
    assert "model/main.ddd:" in refused.text
    assert "help: `loom migrate record NAME`, and commit migrations/" in refused.text
    recorded = shed.loom("migrate", "record", "first_tables")
    assert recorded.code == 0
    assert "recorded migrations/tool_shed/tool_lending/20260101000000_first_tables.sql" in recorded.text
    assert shed.loom("generate", "--locked").code == 0
    assert "nothing is pending" in shed.loom("migrate", "record", "again").text


def test_recorded_migration_keeps_its_bytes_when_it_gets_its_name(shed: Shed) -> None:
    service = shed.root / "out/tool_shed/shed_service/migrations"
    [before] = [path.read_bytes() for path in service.rglob("*.sql")]
    shed.loom("migrate", "record", "first_tables")
    shed.loom("generate")
    [after] = list(service.rglob("*.sql"))
    assert after.name == "20260101000000_first_tables.sql"
    assert after.read_bytes() == before


def test_data_is_lost_only_when_a_person_says_so(shed: Shed) -> None:
    shed.loom("migrate", "record", "first_tables")
    shed.change('                dailyFee: money = money("0.00")\n', "")
    refused = shed.loom("generate")
    assert refused.code == 1
    assert "error[loom.migration-destructive]" in refused.text
    assert "`tools.daily_fee`" in refused.text
    assert "help: `loom migrate record NAME --allow-destructive` if the data may go" in refused.text
    assert shed.loom("generate", "--allow-destructive").code == 0
    migrations = sorted(path.name for path in (shed.root / "out/tool_shed/shed_service/migrations").rglob("*.sql"))
    assert migrations == ["20260101000000_first_tables.sql", "20260101000001_pending.sql"]
    assert shed.loom("generate").code == 1


def test_edited_migration_is_named(shed: Shed) -> None:
    shed.loom("migrate", "record", "first_tables")
    [path] = (shed.root / "migrations").rglob("*.sql")
    path.write_text("DROP TABLE x;\n")
    stopped = shed.loom("generate")
    assert stopped.code != 0
    assert "first_tables.sql: was changed after it was recorded" in stopped.text


def test_unfit_name_for_a_migration_is_said_plainly(shed: Shed) -> None:
    refused = shed.loom("migrate", "record", "First Tables")
    assert refused.code == 3
    assert refused.text == "ERROR: `First Tables` is no name for a migration: lower-case letters, digits and `_`\n"


def test_clean_takes_away_what_was_written_and_no_more(shed: Shed) -> None:
    edited = shed.root / "out/tool_shed/docker-compose.yml"
    edited.write_text("services: {}\n")
    cleaned = shed.loom("clean", "generate")
    assert cleaned.code == 0
    assert "kept out/tool_shed/docker-compose.yml: it was edited" in cleaned.text
    left = {path.relative_to(shed.root / "out").as_posix() for path in (shed.root / "out").rglob("*") if path.is_file()}
    assert left == {"tool_shed/docker-compose.yml", "tool_shed/.loom/manifest.json"}
    assert (shed.root / "model/main.ddd").is_file()


def test_explain_names_what_changed(shed: Shed) -> None:
    shed.change("label: string\n", "label: string\n                shelf: string?\n")
    shed.loom("generate")
    said = shed.loom("explain", "emit:shed_service")
    assert said.code == 0
    assert "plan/shed_service" in said.text


def test_page_of_a_diagnostic_is_printed_and_a_near_name_is_offered(shed: Shed) -> None:
    page = shed.loom("explain-code", "loom.unknown-type")
    assert page.code == 0
    assert page.text.startswith("loom.unknown-type (error)\n\n")
    near = shed.loom("explain-code", "unknown-typ")
    assert near.code == 3
    assert "did you mean `loom.unknown-type`?" in near.text


def test_what_may_be_lost_is_said_once_and_recorded(shed: Shed) -> None:
    shed.loom("migrate", "record", "first_tables")
    shed.change('                dailyFee: money = money("0.00")\n', "")
    for words in (["emit:shed_service"], ["migrate", "record", "without_fee"]):
        refused = shed.loom(*words)
        assert refused.code == 1
        assert "error[loom.migration-destructive]" in refused.text
        assert not list(shed.root.glob("migrations/tool_shed/tool_lending/*_without_fee.sql"))
    assert shed.loom("emit:shed_service", "--allow-destructive").code == 0
    stray = shed.loom("gate", "python", "nothing", "--allow-destructive")
    assert "there is no task `gate:python:nothing`" in stray.text
    recorded = shed.loom("migrate", "record", "without_fee", "--allow-destructive")
    assert recorded.code == 0
    assert "recorded migrations/tool_shed/tool_lending/20260101000001_without_fee.sql" in recorded.text
    for words in (["validate"], ["emit:shed_service"], ["generate", "--locked"]):
        assert shed.loom(*words).code == 0


def test_renamed_context_does_not_leave_its_rows_behind_silently(shed: Shed) -> None:
    shed.loom("migrate", "record", "first_tables")
    model = shed.root / "model/main.ddd"
    before = model.read_text()
    model.write_text(before.replace("ToolLending", "ToolHTTPLoan"))
    refused = shed.loom("generate")
    assert refused.code == 1
    assert (
        "error[loom.migration-destructive]: there is no context `tool_shed/tool_lending` any more, and its"
        in refused.text
    )
    assert '"line":' in shed.loom("validate", "--format", "json").text
    assert shed.loom("generate", "--allow-destructive").code == 0
    recorded = shed.loom("migrate", "record", "new_name", "--allow-destructive")
    assert "recorded migrations/tool_shed/tool_lending/20260101000001_new_name.sql" in recorded.text
    assert "recorded migrations/tool_shed/tool_http_loan/20260101000000_new_name.sql" in recorded.text
    assert shed.loom("generate", "--locked").code == 0
    model.write_text(before)
    assert "there is no context `tool_shed/tool_http_loan` any more" in shed.loom("generate").text
    assert shed.loom("generate", "--allow-destructive").code == 0
    files = sorted((shed.root / "out/tool_shed/shed_service/migrations/tool_lending").iterdir())
    assert [path.name[14:] for path in files] == ["_first_tables.sql", "_new_name.sql", "_pending.sql"]
    assert 'DROP TABLE "tool_lending"."tools"' in files[1].read_text()
    assert 'CREATE TABLE "tool_lending"."tools"' in files[2].read_text()


def test_renamed_system_does_not_leave_its_rows_behind_silently(shed: Shed) -> None:
    shed.loom("migrate", "record", "first_tables")
    settings = shed.root / "loom.yaml"
    settings.write_text(settings.read_text().replace("tool_shed", "http_shed"))
    refused = shed.loom("generate")
    assert refused.code == 1
    assert "error[loom.migration-destructive]: there is no context `tool_shed/tool_lending` any more" in refused.text
    (shed.root / "migrations/tool_shed").rename(shed.root / "migrations/http_shed")
    assert shed.loom("generate").code == 0


def rename(shed: Shed, new: str) -> None:
    settings = shed.root / "loom.yaml"
    settings.write_text(settings.read_text().replace("tool_shed: {", new + ": {"))


def left_in(shed: Shed, folder: str) -> set[str]:
    place = shed.root / folder
    return {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}


def test_folder_of_an_earlier_name_is_told_of_when_nobody_remembers_it(shed: Shed) -> None:
    """It may be a copy that somebody keeps, so it stays."""
    before = left_in(shed, "out/tool_shed")
    rename(shed, "http_shed")
    shutil.rmtree(shed.root / ".loom")
    (shed.root / "out/notes").mkdir()
    said = shed.loom("generate")
    told = (
        "out/tool_shed holds what Loom wrote, and loom.yaml does not name it: delete it, unless it is somebody's copy\n"
    )
    assert said.code == 0 and said.text.count(told) == 1 and "out/notes" not in said.text
    assert left_in(shed, "out/tool_shed") == before
    assert told not in shed.loom("generate", "--overwrite").text


def test_renamed_system_takes_its_folder_along(shed: Shed) -> None:
    before = left_in(shed, "out/tool_shed")
    rename(shed, "http_shed")
    said = shed.loom("generate")
    assert said.code == 0
    count = len(before - {".loom/manifest.json"})
    assert f"removed from out/tool_shed: {count} files; loom.yaml names that folder no more\n" in said.text
    assert not (shed.root / "out/tool_shed").exists()
    assert left_in(shed, "out/http_shed") == before
    assert "removed" not in shed.loom("generate", "-a").text
    (shed.root / "loom.yaml").write_text("systems:\n  tool_shed: {entry: model/main.ddd}\n")
    assert shed.loom("generate").code == 0
    assert left_in(shed, "out") == {f"tool_shed/{path}" for path in before}


def test_former_folder_keeps_what_is_not_looms_and_names_what_was_edited(shed: Shed) -> None:
    own, edited = shed.root / "out/tool_shed/secrets/class.txt", shed.root / "out/tool_shed/README.md"
    own.parent.mkdir()
    own.write_text("mine")
    edited.write_text("mine")
    rename(shed, "http_shed")
    kept = "kept out/tool_shed/README.md: nothing makes it any more, but it was edited\n"
    assert kept in shed.loom("generate").text
    assert left_in(shed, "out/tool_shed") == {"secrets/class.txt", "README.md", ".loom/manifest.json"}
    assert "kept out/tool_shed/README.md: it was edited\n" in shed.loom("clean").text
    assert kept in shed.loom("generate").text
    edited.unlink()
    (shed.root / "out/http_shed/README.md").unlink()
    assert "kept" not in shed.loom("generate").text
    assert left_in(shed, "out/tool_shed") == {"secrets/class.txt"}


def test_nothing_of_a_former_folder_goes_while_generate_is_stopped(shed: Shed) -> None:
    before = left_in(shed, "out/tool_shed")
    (shed.root / "out/http_shed").mkdir()
    (shed.root / "out/http_shed/README.md").write_text("mine")
    rename(shed, "http_shed")
    assert "README.md: was not written by Loom" in shed.loom("generate").text
    assert left_in(shed, "out/tool_shed") == before
    assert "removed from out/tool_shed" in shed.loom("generate", "--overwrite").text
    assert left_in(shed, "out") == {f"http_shed/{path}" for path in before}


def test_clean_takes_a_former_folder_too(shed: Shed) -> None:
    count = len(left_in(shed, "out/tool_shed")) - 1
    rename(shed, "http_shed")
    assert "would remove out/tool_shed/README.md\n" in shed.loom("clean", "-n").text
    assert f"removed from out/tool_shed: {count} files\n" in shed.loom("clean").text
    assert not (shed.root / "out").exists() or left_in(shed, "out") == set()


@pytest.mark.parametrize("out", ["out", "out/tool_shed/shed_service", "out/tool_shed/class"])
def test_folder_above_or_below_the_former_one_is_whole(shed: Shed, out: str) -> None:
    """A file of the former folder may lie where the new one has one too."""
    before = left_in(shed, "out/tool_shed")
    (shed.root / "loom.yaml").write_text(f"systems:\n  tool_shed: {{entry: model/main.ddd, out: {out}}}\n")
    assert shed.loom("generate", "--overwrite").code == 0
    assert left_in(shed, out) == before
    assert {f"{out}/{path}" for path in before} == {f"out/{path}" for path in left_in(shed, "out")}


def test_link_from_the_former_folder_to_the_new_one_is_not_followed(shed: Shed) -> None:
    before = left_in(shed, "out/tool_shed")
    (shed.root / "out/tool_shed").rename(shed.root / "out/http_shed")
    (shed.root / "out/tool_shed").symlink_to("http_shed")
    rename(shed, "http_shed")
    assert "removed" not in shed.loom("generate").text
    assert left_in(shed, "out/http_shed") == before


def test_a_gate_without_dependencies_leaves_them_to_the_end_to_end_tests(shed: Shed) -> None:
    rule = (CHECKOUT / "rules/gate/python.yaml").read_text(encoding="utf-8")
    own = shed.root / "rules" / "gate" / "python.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(rule.replace(", deps: deps/python", ""), encoding="utf-8")
    assert "deps:" not in own.read_text(encoding="utf-8").partition("steps:")[0]
    listed = shed.loom("list", "--all").text
    assert "deps:python" in listed and "e2e:shed_service" in listed
