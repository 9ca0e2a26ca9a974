"""What mistakes in a text took out of a model, and what is still worth saying of the rest.

In: damages by file, findings of the stages behind parsing. Out: those findings that do not come of the damage.
Never: a finding of the parser itself, which always stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import asdict

from loom.base import Diagnostic, Value, camel, plural, split_path, words

WORD = re.compile(r"\w+")
# Fields of a diagnostic that say where something is missing, or what there is instead.
_OFFERS = ("nearest", "known")
_OWNERS = ("owner", "type", "aggregate", "event", "workflow")
_AROUND = frozenset((*_OFFERS, *_OWNERS, "at", "case", "hint", "context", "where", "kind"))


class Wound(Value):
    """Tokens `first` to `last` of a chunk, which are of nodes that lack something."""

    chunk: str
    first: int
    last: int


class Damage(Value):
    """`words` are all that stand in what was lost, `around` those in the heads of what lacks something.

    A whole file is lost where nobody can tell what its braces hold.
    """

    words: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    wounds: tuple[Wound, ...] = ()
    is_whole: bool = False


WHOLE = Damage(is_whole=True)


def believed(found: Iterable[Diagnostic], damages: Mapping[str, Damage]) -> tuple[Diagnostic, ...]:
    """Findings of later stages without those that come of the damage, by file."""
    if not damages:
        return tuple(found)
    lost = frozenset(form for damage in damages.values() for word in damage.words for form in _forms(word))
    near = frozenset(form for damage in damages.values() for word in damage.around for form in _forms(word))
    return tuple(item for item in found if not _is_consequence(item, lost, lost | near, damages))


def _forms(word: str) -> tuple[str, ...]:
    """As any name made of it is compared: `api.toolSheds` is made of `ToolShed`."""
    return word.casefold(), camel(plural(words(word))).casefold()


def _is_consequence(
    item: Diagnostic, lost: frozenset[str], touched: frozenset[str], damages: Mapping[str, Damage]
) -> bool:
    """A name that may have been lost is not unknown, and what has lost something may lack nothing."""
    if _is_astray(item, damages):
        return True
    said = {name: value.casefold() for name, value in asdict(item).items() if isinstance(value, str)}
    if said.get("name") in lost or item.needs_whole == "system":
        return True
    if item.needs_whole == "declaration":
        return any(said.get(name) in touched for name in _OWNERS)
    if any(name in said for name in _OFFERS):
        return any(not touched.isdisjoint(WORD.findall(text)) for name, text in said.items() if name not in _AROUND)
    return _is_wounded(item, damages)


def _is_astray(item: Diagnostic, damages: Mapping[str, Damage]) -> bool:
    """Is it in a file that is lost as a whole?"""
    file, _, _ = split_path(item.at)
    return file in damages and damages[file].is_whole


def _is_wounded(item: Diagnostic, damages: Mapping[str, Damage]) -> bool:
    file, chunk, number = split_path(item.at)
    wounds = damages[file].wounds if file in damages else ()
    return any(wound.chunk == chunk and wound.first <= number <= wound.last for wound in wounds)
