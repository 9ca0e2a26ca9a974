"""The manual: a page for each code, made from the classes themselves.

In: the registered diagnostics. Out: Markdown; names near one that there is not.
Never: a text of its own about a code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from loom.base import Diagnostic
from loom.parse.findings.pages import page

MOST_NEAR = 5


def manual_page(kind: type[Diagnostic]) -> str:
    return f"{kind.code} ({kind.severity})\n\n{page(kind)}\n"


def reference(kinds: Iterable[type[Diagnostic]]) -> str:
    """All pages of Loom's own, by the stage that reports them, both in the order of their names."""
    rooms: dict[str, list[type[Diagnostic]]] = {}
    for kind in kinds:
        if kind.__module__.startswith("loom."):
            rooms.setdefault(kind.__module__.split(".")[1], []).append(kind)
    total = sum(map(len, rooms.values()))
    parts = [f"# Diagnostics\n\n{total} codes, by the stage that reports them.\n"]
    for room, found in sorted(rooms.items()):
        parts += [f"## {room}\n", *(_entry(kind) for kind in sorted(found, key=lambda kind: kind.code))]
    return "\n".join(parts)


def _entry(kind: type[Diagnostic]) -> str:
    lines = [f"### {kind.code}\n", f"{kind.severity.capitalize()}.", ""]
    lines += [f"- message: {text}" for text in _wordings(kind.message)]
    lines += [f"- help: {text}" for text in _wordings(kind.help)]
    return "\n".join([*lines, "", page(kind), ""])


def _wordings(wording: str | Mapping[str, str]) -> Iterator[str]:
    texts = [wording] if isinstance(wording, str) else wording.values()
    yield from (text for text in dict.fromkeys(texts) if text)


def near_codes(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Codes that are spelt like `name`, then those of which it is a part."""
    codes = sorted(known)
    wanted = name.removeprefix("loom.")
    parts = [code for code in codes if wanted in code]
    return tuple(dict.fromkeys([*get_close_matches(name, codes, n=3, cutoff=0.7), *parts]))[:MOST_NEAR]
