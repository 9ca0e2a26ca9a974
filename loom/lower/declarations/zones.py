"""The names of the time zone database, beside this module as `zones.txt`.

In: nothing. Out: the names. Never: the database of the machine, which may be older or not there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def zones() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("zones.txt").read_text("utf-8").split())
