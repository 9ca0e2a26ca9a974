"""The keys that steps of no task had lately, so that a change can be followed through them.

In: `.loom/steps.marshal`, and the keys of a run. Out: for each step, its last keys, the newest first.
Never: the truth: whatever is lost here makes a chain shorter, and no result other.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Mapping
from pathlib import Path

from loom.build.housekeeping.run_files import KEPT
from loom.build.store.atomic import write_disposable

_FORMAT = ("loom.steps/1", sys.version)

Former = Mapping[str, tuple[str, ...]]
"""By stage and unit, with `/` between."""


def former_keys(state: Path) -> Former:
    """Empty when there is none that this version wrote."""
    try:
        form, found = marshal.loads((state / "steps.marshal").read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return found if form == _FORMAT else {}


def note_keys(state: Path, keys: Mapping[str, str]) -> None:
    """Puts the keys of a run in front, as many of each as runs are kept; nothing is written where none is new."""
    before = former_keys(state)
    new = {step: key for step, key in keys.items() if before.get(step, ("",))[0] != key}
    if not new:
        return
    now = {step: (key, *(old for old in before.get(step, ()) if old != key))[:KEPT] for step, key in new.items()}
    write_disposable(str(state / "steps.marshal"), marshal.dumps((_FORMAT, {**before, **now})))
