"""A rule of the linter is off wherever the linter would report it, and where nothing hints at that it is on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from loom.backends.python.lint import broken_rules

CLEAN = '''
class TideTable:
    """l, O and I are letters of a text."""

    highest: int = 0

    def is_higher(self, level: int, *, by: int = 0) -> bool:
        """Says whether x == True."""
        margin = level - by
        told = "margin"
        log(f"by {told}")
        if (rest := margin - self.highest) > 0:
            return rest > 1
        return any(each > margin for each in (level, by))
'''
# Neither an apostrophe nor a comment: what is between quotes is text.
PLAIN = '''
class TideTable:
    """Says "l == True" of I, l and O."""

    def told(self, level: int) -> str:
        berth = "berth = l"
        return log("True == l", "", berth)
'''
BROKEN = [
    ("E501", f'DETAIL = "{"a long way " * 12}"\n'),
    ("E501", f'DETAIL = "{"潮の満ち引き " * 9}"\n'),
    ("E712", "def is_due(paid: bool) -> bool:\n    return paid == True\n"),
    ("E712", "def is_due(paid: bool) -> bool:\n    return False != paid\n"),
    ("E741", "def half(length: int) -> int:\n    l = length // 2\n    return l\n"),
    ("E741", "def sums(all: list[int]) -> list[int]:\n    return [I + 1 for I in all]\n"),
    ("E742", "class O:\n    pass\n"),
    ("E743", "def I() -> int:\n    return 1\n"),
    ("F841", "def moor(ship: str) -> None:\n    berth_number = find(ship)\n"),
    ("F841", "def moor(ship: str) -> None:\n    berth_number: int = find(ship)\n"),
    ("F841", 'def moor(ship: str) -> None:\n    berth = find(ship)\n    log("berth", berth=ship)\n'),
    ("F841", "def moor(ship: str) -> None:\n    berth = find(ship)\n    log(ship.berth)\n"),
    (
        "F841",
        "def moor(ships: list[str]) -> int:\n    ship = find(ships)\n    return sum(len(ship) for ship in ships)\n",
    ),
    (
        "F841",
        "def moor(ships: list[str]) -> object:\n    ship = 1\n    return sorted(ships, key=lambda ship: len(ship))\n",
    ),
    ("F841", "def moor(ship: str) -> None:\n    if (berth := find(ship)) is not None:\n        pass\n"),
    ("F841", "def moor(ship: str) -> None:\n    berth = find(ship)\n    log(f'no berth for {ship}')\n"),
    ("F841", "def moor(ship: str) -> None:\n    berth = find(ship)  # a berth\n\n    log('no \"berth\" is free')\n"),
    ("B023", "def keys(all: list[int]) -> None:\n    for each in all:\n        tell(lambda: each)\n"),
    ("B023", "def keys(all: list[int]) -> list[object]:\n    return [lambda: each for each in all]\n"),
]


def reported(source: str) -> set[str]:
    """What the linter itself says."""
    rules = ["--select", "E501,E712,E741,E742,E743,F841,B023", "--line-length", "100"]
    line = [sys.executable, "-m", "ruff", "check", "--isolated", "--output-format", "concise", *rules, "-"]
    told = subprocess.run(line, input=source, capture_output=True, text=True, check=False).stdout
    return {words[1] for words in map(str.split, told.splitlines()) if words[0].startswith("-:")}


def test_every_rule_holds_where_nothing_breaks_one() -> None:
    assert reported(CLEAN) == set()
    assert broken_rules([CLEAN]) == []
    assert reported(PLAIN) == set()
    assert broken_rules([PLAIN]) == []


@pytest.mark.parametrize(("code", "source"), BROKEN)
def test_what_the_linter_reports_is_foreseen(code: str, source: str) -> None:
    assert reported(source) == {code}
    assert code in broken_rules([CLEAN, source])
