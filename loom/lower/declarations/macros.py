"""Macros and capabilities after `with`: which exist, what they take, which Loom expands.

In: the macro calls of an aggregate or a context. Out: reports; the expansion itself is in `lifecycle` and
`aggregates`, through the shape of the aggregate.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.base import nearest
from loom.lower.problems.members import (
    DuplicateMacro,
    MacroArgDuplicate,
    MacroArgKindMismatch,
    MacroArgUnknown,
    MacroTargetMismatch,
    UnknownMacro,
)
from loom.lower.scope.aggregates import LATER_CAPABILITIES
from loom.lower.scope.frames import Frame
from loom.lower.scope.source import Source
from loom.lower.signature import EXPANDED
from loom.parse import ast

_LATER_CONTEXT = ("softDeleteByDefault", "scaffoldHandlers", "auditable", "softDeletable", "tenantOwned")
_ELSEWHERE = {"softDeleteByDefault": "contexts", "scaffoldHandlers": "contexts", "scaffoldApi": "apis"}


def check_macros(frame: Frame, declared: ast.Aggregate) -> None:
    source = frame.scope.source
    seen: set[str] = set()
    for macro in declared.macros:
        at = source.place(macro.at)
        if macro.name in seen:
            source.report(DuplicateMacro(at=at, name=macro.name))
        elif macro.name in EXPANDED:
            _check_arguments(source, macro)
        elif macro.name in LATER_CAPABILITIES:
            source.unsupported(macro.at, f"`with {macro.name}`")
        elif frame.scope.names.is_unsupported(macro.name):
            source.unsupported(macro.at, f"capability `{macro.name}`")
        elif macro.name in _ELSEWHERE:
            expected = _ELSEWHERE[macro.name]
            problem = MacroTargetMismatch(at=at, name=macro.name, host="an aggregate", expected=expected)
            source.report(problem)
        else:
            known = [*EXPANDED, *LATER_CAPABILITIES]
            source.report(UnknownMacro(at=at, name=macro.name, nearest=nearest(macro.name, known)))
        seen.add(macro.name)


def check_context_macros(source: Source, macros: Iterable[ast.MacroCall]) -> None:
    for macro in macros:
        at = source.place(macro.at)
        if macro.name in EXPANDED:
            problem = MacroTargetMismatch(at=at, name=macro.name, host="a context", expected="aggregates")
            source.report(problem)
        elif macro.name in _LATER_CONTEXT:
            source.unsupported(macro.at, f"`with {macro.name}`")
        else:
            near = nearest(macro.name, _LATER_CONTEXT)
            source.report(UnknownMacro(at=at, name=macro.name, nearest=near))


def _check_arguments(source: Source, macro: ast.MacroCall) -> None:
    known = EXPANDED[macro.name]
    seen: set[str] = set()
    for argument in macro.arguments:
        at = source.place(argument.at)
        if argument.name in seen:
            source.report(MacroArgDuplicate(at=at, name=argument.name))
        elif argument.name not in known:
            names = ", ".join(known)
            source.report(MacroArgUnknown(at=at, macro=macro.name, name=argument.name, known=names))
        elif not isinstance(argument.value, bool):
            expected = "`true` or `false`"
            source.report(MacroArgKindMismatch(at=at, macro=macro.name, name=argument.name, expected=expected))
        seen.add(argument.name)
