"""What may be written at the cursor: keywords that the grammar wants there, names that are in scope.

In: a session, a file, an offset. Out: suggestions.
Never: a keyword where none may stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from loom.lower.scope.typerefs import SCALARS
from loom.lsp.names.collect import collect
from loom.lsp.names.declared import Declared, Home, Root
from loom.lsp.names.expressions import CURSOR, Wanted
from loom.lsp.names.resolve import resolve
from loom.lsp.session import Session
from loom.lsp.wording import signature
from loom.parse import recovery
from loom.parse.draft import Draft
from loom.parse.lexer import tokenize
from loom.parse.machine import Machine
from loom.parse.rules import RULES
from loom.parse.tables import Tables, load, ready

_UNSAID = frozenset(("action", "area", "component", "design", "layout", "menu", "page", "slot", "store", "theme", "ui"))
_NO_TYPES = frozenset(
    ("repository", "workflow", "service", "projection", "handler", "channel", "criterion", "retrieval", "policy")
)
_WORD = re.compile(r"[A-Za-z_]\w*\Z")


class Suggestion(NamedTuple):
    """`kind` is a declaration's, or `keyword`."""

    label: str
    kind: str
    detail: str


def suggestions(session: Session, file: str, offset: int) -> tuple[Suggestion, ...]:
    text = session.files[file].text
    typed = _WORD.search(text, 0, offset)
    start = typed.start() if typed else offset
    accepted = _accepted(file, text[:start])
    found: dict[str, Suggestion] = {}
    if accepted & {"ID", "KEY"} and (wanted := _wanted(session, file, text[:start], text[offset:])):
        for item in _names(wanted, session.root()):
            found.setdefault(item.label, item)
    if not text[:start].rstrip().endswith("."):
        for word in sorted(accepted):
            if word[0].islower() and word not in _UNSAID:
                found.setdefault(word, Suggestion(word, "keyword", ""))
    return tuple(found.values())


def _accepted(file: str, text: str) -> frozenset[str]:
    """The kinds of tokens, keywords among them, that can follow the text."""
    machine = _machine(file, text)
    if machine.advance(0) != len(machine.kinds) - 1:
        machine = _machine(file, text)
        recovery.run(machine)
    row = machine.rows[machine.states[-1]]
    return frozenset(kind for kind in row if kind[0] != "@" and machine.shifted(machine.states, kind))


def _machine(file: str, text: str) -> Machine:
    tables = _tables()
    tokens = tokenize(file, text, tables.words)
    return Machine(tables, Draft(tokens, tokens.texts), RULES)


@lru_cache(maxsize=1)
def _tables() -> Tables:
    return load(ready())


def _wanted(session: Session, file: str, before: str, behind: str) -> Wanted | None:
    """What is around the cursor, found by writing a name there."""
    for name in (CURSOR, f"{CURSOR}()", f"{CURSOR}: 0", f"{CURSOR} {{}}"):
        parsed = session.parsed(file, f"{before}{name}{behind}".encode())
        trees = {other: known.result.ast for other, known in session.files.items()} | {file: parsed.result.ast}
        root = collect(trees)
        found = resolve(root, [(file, parsed.result.ast)])
        if found.wanted is not None:
            return found.wanted
    return None


def _names(wanted: Wanted, root: Root) -> Iterator[Suggestion]:
    home = wanted.scope.home
    if wanted.known:
        yield from _shown(wanted.known)
        return
    if wanted.is_member:
        declared = wanted.target.declared if wanted.target is not None and not wanted.target.is_list else None
        yield from _shown(declared.members.values() if declared else ())
        return
    if wanted.is_type:
        yield from (Suggestion(name, "type", "") for name in SCALARS)
        yield from _shown(item for item in _types(home, root) if item.kind not in _NO_TYPES)
        return
    expected = wanted.expected.declared if wanted.expected is not None else None
    if expected is not None and expected.kind == "enum":
        yield from _shown(expected.members.values())
    yield from _shown(wanted.scope.visible().values())
    yield from _shown(root.others.get("user", {}).values())
    yield from _shown([home.permissions] if home is not None and home.permissions is not None else [])
    yield from _shown(_types(home, root))
    yield from _shown(root.functions.values())


def _types(home: Home | None, root: Root) -> Iterator[Declared]:
    if home is not None:
        yield from home.types.values()
    yield from root.types.values()
    for other in root.homes.values():
        yield from (item for item in other.types.values() if other is not home and item.kind == "aggregate")


def _shown(found: Iterable[Declared]) -> Iterator[Suggestion]:
    for item in found:
        if item.name and item.name != CURSOR:
            yield Suggestion(item.name, item.kind, signature(item, item.inferred))
