"""What the rest of Loom may know of this target without making anything for it.

In: nothing. Out: FACTS. Never: what only a project needs: facts are asked for in runs that make none.
"""

from __future__ import annotations

from loom.base import LAYOUTS, Facts, Feature, Style

PORT = 3000
READY = (
    f"fetch('http://127.0.0.1:{PORT}/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"
)
FACTS = Facts(
    name="node",
    default_port=PORT,
    internal_port=PORT,
    supports=frozenset(Feature),
    ready_probe=("node", "-e", READY),
    styles=(Style(persistence="drizzle", layouts=LAYOUTS), Style(persistence="mikroorm", layouts=LAYOUTS)),
)
