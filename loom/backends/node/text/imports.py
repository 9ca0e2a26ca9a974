"""The import block of one emitted module, sorted as Biome sorts it.

In: names and the modules that export them. Out: the text of the block.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache

# Packages that are not ours; everything else is a path below src.
PACKAGES = ("drizzle-orm", "drizzle-orm/pg-core", "hono", "node:util", "uuidv7", "vitest", "zod")

_DIGITS = re.compile(r"(\d+)")


class Imports:
    """Collects what a module needs; `home` is its own path below the project, without a suffix."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._names: dict[str, dict[str, bool]] = {}

    def value(self, module: str, name: str) -> str:
        """Imports a function, a class or a constant; gives its name back."""
        self._names.setdefault(module, {})[name] = True
        return name

    def type(self, module: str, name: str) -> str:
        """Imports what is erased at run time."""
        self._names.setdefault(module, {}).setdefault(name, False)
        return name

    def needs(self, names: Iterable[str]) -> None:
        """Imports what is given as `module:name`, or as `type module:name`."""
        for need in names:
            module, _, name = need.removeprefix("type ").rpartition(":")
            if need.startswith("type "):
                self.type(module, name)
            else:
                self.value(module, name)

    def text(self) -> str:
        """The block, without what the module itself declares."""
        folder = posixpath.dirname(self.home)
        others = {_specifier(module, folder): names for module, names in self._names.items() if module != self.home}
        return "\n".join(_statement(module, others[module]) for module in sorted(others, key=_order))


@lru_cache(1 << 12)
def _specifier(module: str, folder: str) -> str:
    """What a module of `folder` calls it."""
    if module in PACKAGES:
        return module
    path = posixpath.relpath(module, folder) + ".js"
    return path if path.startswith(".") else f"./{path}"


@lru_cache(1 << 12)
def _order(module: str) -> tuple[int, int, str]:
    """Node's own modules, packages, then paths, the farthest first."""
    if not module.startswith("."):
        return (0 if module.startswith("node:") else 1, 0, _natural(module))
    return (2, -module.count("../"), _natural(module.removesuffix(".js")))


@lru_cache(1 << 12)
def _natural(name: str) -> str:
    """A text that sorts as the name does: letter by letter without regard to case, capitals first.

    Where digits stand, the smaller number comes first: the one with fewer of them, then by their worth.
    """
    letters, *others = _DIGITS.split(name)
    key = _sortable(letters)
    for digits, letters in zip(others[::2], others[1::2], strict=True):
        key += f"0{chr(len(digits))}{digits}{_sortable(letters)}"
    return key


def _sortable(letters: str) -> str:
    return "".join([letter.lower() + letter for letter in letters])


def _by_own_name(name: str) -> str:
    """What is imported under another name goes by that."""
    return _natural(name.rpartition(" ")[2])


def _statement(module: str, names: dict[str, bool]) -> str:
    if "*" in names and len(names) == 1:
        return f"import * as schema from '{module}';"
    only_types = not any(names.values())
    items = [
        name if only_types or names[name] else f"type {name}"
        for name in (sorted(names, key=_by_own_name) if len(names) > 1 else names)
    ]
    opening = "import type {" if only_types else "import {"
    return f"{opening} {', '.join(items)} }} from '{module}';"
