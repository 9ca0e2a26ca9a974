"""What a session knows, in the protocol's words.

In: a session, a file, offsets. Out: values of the protocol.
Never: a request, a document of the editor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lsprotocol import types as lsp

from loom.base import Severity
from loom.lsp.completing import Suggestion
from loom.lsp.fixes import Fix, fixes
from loom.lsp.names.declared import Declared
from loom.lsp.names.routes import route_name
from loom.lsp.session import Place, Session
from loom.lsp.texts import Text
from loom.lsp.wording import hover, manual, signature
from loom.parse.findings import Finding
from loom.parse.formatter import Unreadable, edits
from loom.parse.formatter.edits import within

_SYMBOLS = {
    "system": lsp.SymbolKind.Package, "subdomain": lsp.SymbolKind.Package, "context": lsp.SymbolKind.Namespace,
    "aggregate": lsp.SymbolKind.Class, "entity": lsp.SymbolKind.Class, "valueobject": lsp.SymbolKind.Struct,
    "enum": lsp.SymbolKind.Enum, "value": lsp.SymbolKind.EnumMember, "event": lsp.SymbolKind.Event,
    "payload": lsp.SymbolKind.Struct, "repository": lsp.SymbolKind.Interface, "find": lsp.SymbolKind.Method,
    "workflow": lsp.SymbolKind.Module, "service": lsp.SymbolKind.Module, "projection": lsp.SymbolKind.Struct,
    "select": lsp.SymbolKind.Property, "handler": lsp.SymbolKind.Function, "channel": lsp.SymbolKind.Event,
    "criterion": lsp.SymbolKind.Function, "retrieval": lsp.SymbolKind.Function, "policy": lsp.SymbolKind.Function,
    "capability": lsp.SymbolKind.Interface, "channelSource": lsp.SymbolKind.Event, "timerSource": lsp.SymbolKind.Event,
    "operation": lsp.SymbolKind.Method, "create": lsp.SymbolKind.Constructor,
    "destroy": lsp.SymbolKind.Method, "function": lsp.SymbolKind.Function, "property": lsp.SymbolKind.Property,
    "containment": lsp.SymbolKind.Property, "derived": lsp.SymbolKind.Property, "test": lsp.SymbolKind.Method,
}  # fmt: skip
_ITEMS = {
    "keyword": lsp.CompletionItemKind.Keyword, "type": lsp.CompletionItemKind.TypeParameter,
    "aggregate": lsp.CompletionItemKind.Class, "entity": lsp.CompletionItemKind.Class,
    "valueobject": lsp.CompletionItemKind.Struct, "enum": lsp.CompletionItemKind.Enum,
    "value": lsp.CompletionItemKind.EnumMember, "event": lsp.CompletionItemKind.Event,
    "repository": lsp.CompletionItemKind.Interface, "workflow": lsp.CompletionItemKind.Module,
    "service": lsp.CompletionItemKind.Module, "projection": lsp.CompletionItemKind.Struct,
    "handler": lsp.CompletionItemKind.Function, "channel": lsp.CompletionItemKind.Event,
    "channelSource": lsp.CompletionItemKind.Event, "criterion": lsp.CompletionItemKind.Function,
    "retrieval": lsp.CompletionItemKind.Function, "policy": lsp.CompletionItemKind.Function,
    "capability": lsp.CompletionItemKind.Interface, "select": lsp.CompletionItemKind.Field,
    "operation": lsp.CompletionItemKind.Method, "find": lsp.CompletionItemKind.Method,
    "function": lsp.CompletionItemKind.Function, "create": lsp.CompletionItemKind.Constructor,
    "property": lsp.CompletionItemKind.Field, "containment": lsp.CompletionItemKind.Field,
    "derived": lsp.CompletionItemKind.Field,
}  # fmt: skip
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error, Severity.WARNING: lsp.DiagnosticSeverity.Warning,
}  # fmt: skip
_NAME = re.compile(r"(?!(?:true|false|null|this)\Z)[A-Za-z_][A-Za-z0-9_]*")
_TRACE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_TRACES = frozenset(("requirement", "solution", "testCase"))
# What has its name from the language, or from something else.
GIVEN = frozenset(("route", "user", "permissions"))

TextOf = Callable[[str], Text]
UriOf = Callable[[str], str]


def diagnostic(item: Finding, text: Text) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        range=text.range(item.start.offset, item.end.offset),
        message=f"{item.message}\n{item.help}".rstrip(),
        severity=_SEVERITIES[item.severity],
        code=item.code,
        source="loom",
    )


def hovered(session: Session, file: str, offset: int, found: Iterable[Finding], text: Text) -> lsp.Hover | None:
    """The name under the cursor, and the manual page of what is wrong there."""
    parts = [manual(item.code, item.message) for item in found if item.start.offset <= offset <= item.end.offset]
    occurrence = session.at(file, offset)
    where: lsp.Range | None = None
    if occurrence is not None:
        declared = occurrence.declared
        parts.insert(0, hover(declared, declared.inferred))
        place = session.place(occurrence)
        where = text.range(place.start, place.end)
    if not parts:
        return None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(parts)), where)


def location(place: Place, text_of: TextOf, uri_of: UriOf) -> lsp.Location:
    return lsp.Location(uri_of(place.file), text_of(place.file).range(place.start, place.end))


def symbols(session: Session, file: str, text: Text) -> list[lsp.DocumentSymbol]:
    return [_symbol(session, item, text) for item in session.root().files.get(file, [])]


def _symbol(session: Session, item: Declared, text: Text) -> lsp.DocumentSymbol:
    """Its range goes up to its last name, and over everything inside."""
    place = session.place(item)
    own = session.files[item.site.file].place(item.site, item.last)
    children = [_symbol(session, inner, text) for inner in item.members.values() if inner.site.file == item.site.file]
    ends = [own.end, place.end, *(_end(text, child) for child in children)]
    return lsp.DocumentSymbol(
        name=item.name or item.kind,
        kind=_SYMBOLS.get(item.kind, lsp.SymbolKind.Object),
        range=text.range(place.start, max(ends)),
        selection_range=text.range(place.start, place.end),
        detail=signature(item),
        children=sorted(children, key=lambda child: (child.range.start.line, child.range.start.character)),
    )


def _end(text: Text, symbol: lsp.DocumentSymbol) -> int:
    return text.offset(symbol.range.end)


def completion(found: Iterable[Suggestion]) -> lsp.CompletionList:
    """Names come before keywords."""
    items = [
        lsp.CompletionItem(
            label=item.label,
            kind=_ITEMS.get(item.kind, lsp.CompletionItemKind.Variable),
            detail=item.detail or None,
            sort_text=f"{int(item.kind == 'keyword')}{item.label}",
        )
        for item in found
    ]
    return lsp.CompletionList(is_incomplete=False, items=items)


def formatting(file: str, data: bytes, text: Text, lines: tuple[int, int] | None) -> list[lsp.TextEdit] | None:
    """None for a file with mistakes; `lines` count from 1."""
    found = edits(file, data)
    if isinstance(found, Unreadable):
        return None
    if lines is not None:
        found = within(text.text, found, *lines)
    return [lsp.TextEdit(text.range(edit.start, edit.end), edit.text) for edit in found]


def renaming(session: Session, declared: Declared, name: str, text_of: TextOf, uri_of: UriOf) -> lsp.WorkspaceEdit:
    """Where a test calls a route by the name that follows from this one, by the name that will follow."""
    changes: dict[str, list[lsp.TextEdit]] = {}
    for place in session.mentions(declared):
        is_route = session.text(place) != declared.name
        written = route_name(name, declared.kind) if is_route else name
        edit = lsp.TextEdit(text_of(place.file).range(place.start, place.end), written)
        changes.setdefault(uri_of(place.file), []).append(edit)
    return lsp.WorkspaceEdit(changes=changes)


def unfit(name: str, declared: Declared | None) -> str:
    """Why that cannot be called `name`, or nothing."""
    if declared is not None and declared.kind == "route":
        return f"`{declared.name}` is named after what it leads to: rename that"
    if declared is not None and declared.kind in GIVEN:
        return f"`{declared.name}` has its name from the language"
    is_trace = declared is not None and declared.kind in _TRACES
    if (_TRACE if is_trace else _NAME).fullmatch(name):
        return ""
    return f"`{name}` cannot be a name: letters, digits and `_`, no digit first"


def actions(
    found: Iterable[Finding], wanted: lsp.Range, told: Iterable[lsp.Diagnostic], text: Text, uri: str
) -> list[lsp.CodeAction]:
    """Quick fixes of what is wrong within `wanted`; `told` are the editor's own words for it."""
    first, last = text.offset(wanted.start), text.offset(wanted.end)
    near = [item for item in found if item.start.offset <= last and first <= item.end.offset]
    return [_action(fix, told, text, uri) for fix in fixes(near, text.text)]


def _action(fix: Fix, told: Iterable[lsp.Diagnostic], text: Text, uri: str) -> lsp.CodeAction:
    where = text.range(fix.finding.start.offset, fix.finding.end.offset)
    edit = lsp.TextEdit(text.range(fix.start, fix.end), fix.text)
    return lsp.CodeAction(
        title=f"Write `{fix.text}`",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[item for item in told if (item.code, item.range) == (fix.finding.code, where)],
        is_preferred=True,
        edit=lsp.WorkspaceEdit(changes={uri: [edit]}),
    )


def positions(places: Iterable[Place], text_of: TextOf, uri_of: UriOf) -> Iterator[lsp.Location]:
    yield from (location(place, text_of, uri_of) for place in places)
