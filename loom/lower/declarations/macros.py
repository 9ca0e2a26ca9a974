"""Macros and capabilities after `with` and `implements`: which exist, what they take, which Loom expands.

In: what an aggregate or a context takes on. Out: reports; `expansion` has written out what they stand for, and the
shape of the aggregate what `crudish` does.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from loom.base import nearest
from loom.lower.expansion import SUPPLIED, can_soft_delete
from loom.lower.problems.capabilities import CapabilityHostInvalid, MissingCapability, UnknownCapability
from loom.lower.problems.members import (
    DuplicateMacro,
    MacroArgDuplicate,
    MacroArgKindMismatch,
    MacroArgMissing,
    MacroArgUnknown,
    MacroArgUnresolvedRef,
    MacroTargetMismatch,
    UnknownMacro,
)
from loom.lower.scope.frames import Frame
from loom.lower.scope.names import Names
from loom.lower.scope.source import Source
from loom.lower.signature import EXPANDED
from loom.parse import ast

_CONTEXT = ("softDeleteByDefault", "scaffoldHandlers")
_ELSEWHERE = {"softDeleteByDefault": "contexts", "scaffoldHandlers": "contexts", "scaffoldApi": "apis"}


def check_macros(frame: Frame, declared: ast.Aggregate) -> None:
    source, names = frame.scope.source, frame.scope.names
    seen: set[str] = set()
    for macro in declared.macros:
        if macro.name in seen:
            source.report(DuplicateMacro(at=source.place(macro.at), name=macro.name))
        elif macro.name in EXPANDED:
            _check_arguments(source, macro)
        elif not _is_capability(source, names, macro):
            _report_macro(source, names, macro)
        seen.add(macro.name)
    for item in declared.members:
        if isinstance(item, ast.Implements):
            _check_implements(source, names, item)
    _check_soft_delete(source, declared)


def _report_macro(source: Source, names: Names, macro: ast.MacroCall) -> None:
    at = source.place(macro.at)
    if macro.name in _ELSEWHERE:
        expected = _ELSEWHERE[macro.name]
        source.report(MacroTargetMismatch(at=at, name=macro.name, host="an aggregate", expected=expected))
    else:
        known = [*EXPANDED, *names.capabilities]
        source.report(UnknownMacro(at=at, name=macro.name, nearest=nearest(macro.name, known)))


def _is_capability(source: Source, names: Names, taken: ast.MacroCall | ast.Implements) -> bool:
    """Whether there is one of that name."""
    if isinstance(taken, ast.MacroCall) and taken.name in names.capabilities:
        _check_no_arguments(source, taken)
    else:
        return taken.name in names.capabilities or taken.name in SUPPLIED or names.is_unsupported(taken.name)
    return True


def _check_implements(source: Source, names: Names, item: ast.Implements) -> None:
    if not _is_capability(source, names, item):
        known = [*SUPPLIED, *names.capabilities]
        at = source.place(item.at)
        source.report(UnknownCapability(at=at, name=item.name, nearest=nearest(item.name, known)))


def _check_soft_delete(source: Source, declared: ast.Aggregate) -> None:
    taken = [item.name for item in (*declared.macros, *declared.members) if isinstance(item, _TAKING)]
    deletes = next((item for item in declared.macros if item.name == "softDelete"), None)
    if deletes is not None and not can_soft_delete(declared, taken):
        at = source.place(deletes.at)
        source.report(MissingCapability(at=at, macro="softDelete", capability="softDeletable"))


_TAKING = ast.MacroCall | ast.Implements


def check_context_macros(source: Source, context: ast.Context, names: Names) -> None:
    """What the context takes on for all of its aggregates."""
    for macro in context.macros:
        at = source.place(macro.at)
        if macro.name in ("crudish", "versioned", "softDelete"):
            source.report(MacroTargetMismatch(at=at, name=macro.name, host="a context", expected="aggregates"))
        elif macro.name in _CONTEXT:
            _check_no_arguments(source, macro)
        elif not _is_capability(source, names, macro):
            known = [*_CONTEXT, *SUPPLIED, *names.capabilities]
            source.report(UnknownMacro(at=at, name=macro.name, nearest=nearest(macro.name, known)))
    for item in context.members:
        if isinstance(item, ast.Implements):
            _check_implements(source, names, item)


def _check_no_arguments(source: Source, macro: ast.MacroCall) -> None:
    for argument in macro.arguments:
        at = source.place(argument.at)
        source.report(MacroArgUnknown(at=at, macro=macro.name, name=argument.name, known="nothing"))


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
            at = source.place(argument.at + 2)  # behind the colon
            source.report(MacroArgKindMismatch(at=at, macro=macro.name, name=argument.name, expected=expected))
        seen.add(argument.name)


def scaffolded_subdomain(
    source: Source, declared: ast.Api, subdomains: Iterable[str], capabilities: Container[str]
) -> str:
    """What `with scaffoldApi(of: …)` names, empty without it; other words are reported."""
    found = ""
    for macro in declared.macros:
        at = source.place(macro.at)
        if macro.name == "scaffoldApi":
            found = _scaffolded(source, macro, list(subdomains))
        elif macro.name in SUPPLIED or macro.name in capabilities:
            source.report(CapabilityHostInvalid(at=at, name=macro.name, host="an api"))
        elif macro.name in (*EXPANDED, *_ELSEWHERE):
            expected = _ELSEWHERE.get(macro.name, "aggregates")
            source.report(MacroTargetMismatch(at=at, name=macro.name, host="an api", expected=expected))
        else:
            source.report(UnknownMacro(at=at, name=macro.name, nearest=nearest(macro.name, ["scaffoldApi"])))
    return found


def _scaffolded(source: Source, macro: ast.MacroCall, subdomains: list[str]) -> str:
    found = ""
    for argument in macro.arguments:
        at = source.place(argument.at)
        if argument.name != "of":
            source.report(MacroArgUnknown(at=at, macro=macro.name, name=argument.name, known="of"))
        elif not isinstance(argument.value, ast.NameRef):
            expected = "the name of a subdomain"
            at = source.place(argument.at + 2)
            source.report(MacroArgKindMismatch(at=at, macro=macro.name, name="of", expected=expected))
        elif argument.value.name not in subdomains:
            at, near = source.place(argument.value.at), nearest(argument.value.name, subdomains)
            source.report(MacroArgUnresolvedRef(at=at, macro=macro.name, name=argument.value.name, nearest=near))
        else:
            found = argument.value.name
    if not any(item.name == "of" for item in macro.arguments):
        source.report(MacroArgMissing(at=source.place(macro.at), macro=macro.name, name="of"))
    return found
