"""What one emitted file must import, and under which names.

In: modules, names. Out: texts `module:name`, `type module:name`, `module:name as other`; the names to print.
Never: the import block (text/imports.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.base import camel, pascal, words
from loom.ir.types import IdType


class Needs(set[str]):
    """Make one per emitted file. `ids` spells the id types of the service."""

    def __init__(self, ids: Mapping[IdType, str] | None = None) -> None:
        super().__init__()
        self.ids = ids or {}
        self._homes: dict[str, str] = {}

    def value(self, module: str, name: str) -> str:
        """Imports a function, a class or a constant; gives the name that it has here."""
        return self._named("", module, name)

    def erased(self, module: str, name: str) -> str:
        """The same for what is there for the compiler only."""
        return self._named("type ", module, name)

    def _named(self, kind: str, module: str, name: str) -> str:
        need = f"{kind}{module}:{name}"
        if self._homes.setdefault(name, module) == module:
            self.add(need)
            return name
        other = _alias(module, name)
        self.add(f"{need} as {other}")
        return other


def _alias(module: str, name: str) -> str:
    """Named after its module too, where two modules export one name."""
    *_, folder, file = module.split("/")
    home = words((file if folder == "values" else folder).replace("-", "_"))
    if name[:1].isupper():
        return pascal(home) + name
    return camel(home) + name[:1].upper() + name[1:]
