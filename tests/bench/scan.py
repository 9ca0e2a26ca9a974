"""What it costs just to look at each file below a folder once: no run that notices every edit is cheaper.

In: a folder. Out: the cost of a `stat` for each file, without anything else, Python's own start included.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.bench.measure import Cost, cost

SCAN = """
import os, sys

def look(folder):
    with os.scandir(folder) as found:
        for one in found:
            if one.is_dir(follow_symlinks=False):
                look(one.path)
            else:
                one.stat(follow_symlinks=False)

look(sys.argv[1])
"""


def scan(folder: Path) -> Cost:
    return cost([sys.executable, "-S", "-c", SCAN, str(folder / "out")], folder, {})
