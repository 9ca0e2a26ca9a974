"""Loom itself, as it is at work here: whatever is kept from run to run goes with the stamps of its files.

In: nothing. Out: stamps of its code, rules and toolchains, and of installed packages.
Never: trust in a file that changed since this process began: what is at work may be what it held before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from functools import cache

from loom.build.data import PACKAGE, data_folder
from loom.build.stamps import NEVER, Stamp, folder_stamps, stamp

_BEGUN = time.time_ns()


@cache
def own_stamps() -> Mapping[str, Stamp]:
    """Of everything that a key may hold besides a project: code, data, folders of installed packages.

    To be asked for before the stages are loaded.
    """
    from loom.build.bytecode import outlived

    found: dict[str, Stamp] = {}
    for folder in (PACKAGE, data_folder("rules"), data_folder("toolchains")):
        found |= folder_stamps(str(folder))
    loaded = _loaded()
    other = {path for path in outlived(found) if path in loaded}
    # What seems to be of the future was there before, and the clock was wrong then or is now.
    # kept by tests/engine/core/test_clocks.py::test_edit_is_seen_at_another_time
    now, stamps = time.time_ns(), found | _packages()
    other |= {path for path, known in stamps.items() if known and _BEGUN < known[2] <= now}
    return {**stamps, **dict.fromkeys(other, NEVER)}


def loaded_stamps() -> dict[str, Stamp]:
    """The same of the modules that this process has loaded so far, and of installed packages."""
    wanted = _loaded() | _packages().keys()
    return {path: known for path, known in own_stamps().items() if path in wanted}


def _loaded() -> set[str]:
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {file for file in files if file}


def _packages() -> dict[str, Stamp]:
    return {folder: stamp(folder) for folder in sys.path if folder.endswith("-packages")}
