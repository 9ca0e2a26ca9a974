"""What the sandbox adds to a command: the same program in the same root, in bubblewrap by hand and through Loom.

In: nothing. Out: a share of the command's own time. The command computes for about half a second.
"""

from __future__ import annotations

import sys
from pathlib import Path

WORLD = Path(__file__).parents[1] / "engine/world"


def sandbox_share(runs: int = 10) -> float:
    """Wall-clock time, as waiting counts too; the shortest of several runs, in turns."""
    sys.path.insert(0, str(WORLD))
    from test_overhead import by_hand, in_sandbox, spent

    in_sandbox()  # makes the root
    pairs = [(spent(by_hand), spent(in_sandbox)) for _ in range(runs)]
    hand, sandbox = (min(each) for each in zip(*pairs, strict=True))
    return sandbox / hand - 1
