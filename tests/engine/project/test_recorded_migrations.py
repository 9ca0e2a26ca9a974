"""Recorded migrations: append-only, exact to the byte, and every damage is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.build.migrations.history import history_folder, read_history, record
from loom.build.project import ProjectProblem
from loom.plan.history import ColumnShape, History, RecordedMigration, TableShape
from loom.plan.storage import ForeignKeyPlan, IndexPlan, OnDelete

FIRST = RecordedMigration(version="20260101000000", name="initial", sql='CREATE TABLE "berths" ();\n')
SECOND = RecordedMigration(version="20260101000001", name="add_vhf_channel", sql="ALTER TABLE x;\nÄ\r\n")


def table(name: str) -> TableShape:
    return TableShape(
        schema_name="harbour",
        name=name,
        columns=(ColumnShape(name="id", sql_type="UUID", nullable=False),),
        primary_key=("id",),
        foreign_keys=(
            ForeignKeyPlan(name="f_fk", column="berth_id", target_table="berths", on_delete=OnDelete.CASCADE),
        ),
        indexes=(IndexPlan(name="u_uq", columns=("id",), unique=True),),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return history_folder(tmp_path, "harbour", "BerthAllocation")


def test_folder_is_named_in_snake_case(folder: Path, tmp_path: Path) -> None:
    assert folder == tmp_path / "migrations/harbour/berth_allocation"


def test_nothing_recorded_is_an_empty_history(folder: Path) -> None:
    assert read_history(folder) == History()


def test_recorded_files_and_tables_read_back_equal(folder: Path) -> None:
    record(folder, FIRST, [table("berths")])
    path = record(folder, SECOND, [table("berths"), table("vhf_channels")])
    assert path.name == "20260101000001_add_vhf_channel.sql"
    assert path.read_bytes() == SECOND.sql.encode()
    expected = History(migrations=(FIRST, SECOND), tables=(table("berths"), table("vhf_channels")))
    assert read_history(folder) == expected


def test_recording_leaves_old_files_alone(folder: Path) -> None:
    first = record(folder, FIRST, [])
    before = (first.read_bytes(), first.stat().st_mtime_ns)
    record(folder, SECOND, [])
    assert (first.read_bytes(), first.stat().st_mtime_ns) == before
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def damage(folder: Path, kind: str) -> None:
    first = folder / "20260101000000_initial.sql"
    match kind:
        case "changed":
            first.write_text("DROP TABLE x;")
        case "missing":
            first.unlink()
        case "foreign":
            (folder / "20260101000009_by_hand.sql").write_text("x")
        case "no snapshot":
            (folder / "snapshot.json").unlink()
        case "garbled":
            (folder / "snapshot.json").write_text('{"files": 3}')


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("changed", r"20260101000000_initial\.sql: was changed after it was recorded"),
        ("missing", r"20260101000000_initial\.sql: is recorded but missing"),
        ("foreign", r"20260101000009_by_hand\.sql: was not recorded"),
        ("no snapshot", r"has migrations but no snapshot\.json"),
        ("garbled", r"snapshot\.json: files: "),
    ],
)
def test_damage_is_named_and_stops_reading_and_recording(folder: Path, kind: str, said: str) -> None:
    record(folder, FIRST, [])
    damage(folder, kind)
    with pytest.raises(ProjectProblem, match=said):
        read_history(folder)
    with pytest.raises(ProjectProblem, match=said):
        record(folder, SECOND, [])
    assert not (folder / "20260101000001_add_vhf_channel.sql").exists()


@pytest.mark.parametrize("name", ["", "Add", "a b", "../x", "9x", "x" * 62])
def test_unfit_name_is_refused_before_anything_is_written(folder: Path, name: str) -> None:
    with pytest.raises(ProjectProblem, match="no name for a migration"):
        record(folder, FIRST.model_copy(update={"name": name}), [])
    assert not folder.exists()
