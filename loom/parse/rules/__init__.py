"""One function for each aliased rule of `ddd.lark`; `RULES` finds it by the alias."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType

from loom.parse.rules import (
    access,
    data,
    deployment,
    domain,
    expressions,
    matches,
    members,
    program,
    projections,
    reading,
    statements,
)

__all__ = ["RULES"]


def _functions(module: ModuleType) -> dict[str, Callable[..., object]]:
    return {
        name: item
        for name, item in vars(module).items()
        if callable(item) and getattr(item, "__module__", "") == module.__name__ and not name.startswith("_")
    }


_MODULES = (
    expressions,
    matches,
    reading,
    statements,
    members,
    domain,
    program,
    projections,
    deployment,
    access,
    data,
)
RULES: Mapping[str, Callable[..., object]] = {
    name: function for module in _MODULES for name, function in _functions(module).items()
}
