"""The page of a code: what is wrong, why that is so, and a mistake beside the same made right.

In: a class of diagnostics; the page beside its module, which has reasons and examples. Out: Markdown.
Never: a text of its own about a code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from loom.base import Diagnostic

_SECTION = re.compile(
    r"^## (?P<code>[a-z0-9-]+)\n\n(?P<reason>.+?)\n\n"
    r"```ddd *(?P<place>[^\n]*)\n(?P<wrong>.*?)^```\n\n```ddd *(?P=place)\n(?P<right>.*?)^```\n",
    re.M | re.S,
)
_STANDS = {"": "", "in context": ", in a context", "in aggregate": ", in an aggregate"}


class Example(NamedTuple):
    """`place` says what is around `wrong` and `right`, as in `loom/parse/LANGUAGE.md`: nothing around whole models."""

    reason: str
    place: str
    wrong: str
    right: str


def page(kind: type[Diagnostic]) -> str:
    """What is wrong, from the class itself, then the reason and the example, as far as there are any."""
    parts = [inspect.getdoc(kind) or kind.code]
    if shown := example(kind):
        parts += [shown.reason, f"Wrong{_STANDS[shown.place]}:", indent(shown.wrong, " " * 4).rstrip()]
        parts += ["Right:", indent(shown.right, " " * 4).rstrip()]
    return "\n\n".join(parts)


def example(kind: type[Diagnostic]) -> Example | None:
    """That of the code, on the page in capitals beside the module that declares it."""
    module = Path(inspect.getfile(kind))
    return examples(module.with_name(f"{module.stem.upper()}.md")).get(kind.code.removeprefix("loom."))


@cache
def examples(file: Path) -> Mapping[str, Example]:
    """All of one page by their codes."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return {
        found["code"]: Example(found["reason"], found["place"], found["wrong"], found["right"])
        for found in _SECTION.finditer(text)
    }
