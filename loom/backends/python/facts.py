"""What the rest of Loom may know of this target without making anything for it.

In: nothing. Out: FACTS. Never: what only a project needs: facts are asked for in runs that make none.
"""

from __future__ import annotations

from loom.base import LAYOUTS, Facts, Feature, Style

PORT = 8000
FACTS = Facts(
    name="python",
    default_port=PORT,
    internal_port=PORT,
    supports=frozenset(Feature),
    ready_probe=("python3", "-m", "app.probe", "/ready"),
    styles=(Style(persistence="sqlalchemy", layouts=LAYOUTS),),
)
