"""Every case of the corpus, of every stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.corpus import CORPUS, Case, cases, check, chosen_lines, read


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case.path.relative_to(CORPUS).with_suffix("")))
def test_case(case: Case, request: pytest.FixtureRequest) -> None:
    check(case, update=request.config.getoption("--update"))


def _case(tmp_path: Path, expected: str) -> Case:
    path = tmp_path / "case.md"
    path.write_text(
        "# META\n~~~ini\ndescription = nothing\n~~~\n"
        "# SOURCE\n~~~loom\nenum RoomState { Free Taken }\n~~~\n"
        f"# DIAGNOSTICS\n~~~text\n{expected}~~~\n",
        encoding="utf-8",
    )
    case = read(path)
    return Case(CORPUS / "parse" / "case.md", case.meta, case.sources, case.expected)


def test_a_wrong_expectation_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="DIAGNOSTICS differs"):
        check(_case(tmp_path, "error[loom.parse-error]: unexpected `}`\n"))


def test_a_right_expectation_passes(tmp_path: Path) -> None:
    check(_case(tmp_path, ""))


def test_a_chosen_line_is_told_as_it_is_now() -> None:
    chosen = "Room.end: type=int\nRoom.gone: type=int\nRoom.bed: type=Bed\n"
    whole = "Room.end: type=long\nRoom.bed: type=Bed\nRoom.bed: type=Cot\nRoom.other: type=int\n"
    assert chosen_lines(chosen, whole) == "Room.end: type=long\nRoom.bed: type=Bed\n"


def test_a_file_without_a_description_is_no_case(tmp_path: Path) -> None:
    path = tmp_path / "case.md"
    path.write_text("# META\n~~~ini\n~~~\n# SOURCE\n~~~loom\n~~~\n# DIAGNOSTICS\n~~~text\n~~~\n", encoding="utf-8")
    with pytest.raises(ValueError, match="needs a description"):
        read(path)
