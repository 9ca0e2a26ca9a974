"""What authors of other languages write within a type, a head or an expression, and what it is here.

In: the kinds and texts of all tokens, the one that fits nowhere, and what could stand there. Out: what to write.
Never: a guess where nothing is recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from loom.parse.habits import Habit

_NAMES = ("ID", "WORD")
_VALUE_ENDS = frozenset((*_NAMES, "INT", "DECIMAL", "STRING", ")", "]", "EMPTY_LIST"))
# Words that begin a declaration elsewhere, and the one that does here, where it fits.
_DECLARATIONS = {
    **dict.fromkeys(("class", "model", "table"), "aggregate"),
    **dict.fromkeys(("struct", "record", "data"), "valueobject"),
    **dict.fromkeys(("module", "namespace", "package", "boundedContext"), "context"),
    **dict.fromkeys(("constructor", "init"), "create"),
    **dict.fromkeys(("destructor", "delete"), "destroy"),
    **dict.fromkeys(("computed", "get", "property"), "derived"),
    **dict.fromkeys(("constraint", "rule", "validate"), "invariant"),
    **dict.fromkeys(("method", "procedure"), "operation"),
    "dto": "payload",
    "service": "domainService",
    "saga": "workflow",
}


class _Site(NamedTuple):
    """A mistake: what is at `token`, before and behind it; a `shift` counts tokens from there."""

    kinds: list[str]
    texts: list[str]
    token: int
    accepted: Collection[str]

    def text(self, shift: int) -> str:
        return self.texts[self.token + shift] if 0 <= self.token + shift < len(self.texts) else ""

    def is_name(self, shift: int) -> bool:
        return 0 <= self.token + shift < len(self.kinds) and self.kinds[self.token + shift] in _NAMES


def dialect(kinds: list[str], texts: list[str], token: int, accepted: Collection[str]) -> Habit | None:
    """What is written there in this language, if what was meant is known."""
    site = _Site(kinds, texts, token, accepted)
    advice = next(filter(None, (recognised(site) for recognised in _RECOGNISED)), "")
    return Habit(0, advice) if advice else None


def _declaration(site: _Site) -> str:
    here = _DECLARATIONS.get(site.text(0), "")
    return f"did you mean `{here}`?" if here in site.accepted else ""


def _bracketed_type(site: _Site) -> str:
    is_type = site.text(0) == "[" and site.is_name(1) and site.text(2) == "]" and site.text(-1) == ":"
    return f"write `{site.text(1)}[]` for a list" if is_type else ""


def _index(site: _Site) -> str:
    is_index = site.text(0) == "[" and site.kinds[site.token - 1] in _VALUE_ENDS and site.text(2) == "]"
    at = site.text(1)
    return f"nothing is read by its number: write `.skip({at}).first`" if is_index and site.text(-1) != ":" else ""


def _result(site: _Site) -> str:
    is_arrow = site.text(0) == "->" and ":" in site.accepted and site.is_name(1)
    return f"write `: {site.text(1)}`" if is_arrow else ""


def _lambda(site: _Site) -> str:
    is_lambda = site.text(0) == "=>" and site.text(-1) == ")" and site.is_name(-2) and site.text(-3) == "("
    return f"write `{site.text(-2)} => …`, without parentheses" if is_lambda else ""


def _emitted(site: _Site) -> str:
    if site.text(-2) == "emit" and site.text(0) == "(":
        return f"write `emit {site.text(-1)} {{ … }}`"
    if site.text(-2) == "emit" and site.text(-1) == "new" and site.is_name(0):
        return f"write `emit {site.text(0)} {{ … }}`"
    is_event = site.text(-1) in ("raise", "publish", "dispatch", "fire") and site.is_name(0)
    is_filled = site.text(1) == "{" or (site.text(1) == "(" and site.text(-1) != "raise")  # which refuses elsewhere
    return f"write `emit {site.text(0)} {{ … }}`" if is_event and is_filled else ""


def _filled(site: _Site) -> str:
    is_builder = site.text(0) == "{" and site.is_name(-1) and site.is_name(1) and site.text(2) == "="
    return f"write `{site.text(-1)} {{ {site.text(1)}: … }}`" if is_builder else ""


def _enum_value(site: _Site) -> str:
    if set(site.accepted) - {",", "ID", "}", "NEXT", "LAST"} or "}" not in site.accepted:
        return ""
    if site.kinds[site.token] == "STRING":
        return "write a plain name, without quotes"
    return "values of an enum are names alone: remove it" if site.text(0) == "=" else ""


def _default(site: _Site) -> str:
    return "write `= …` for a default" if site.text(0) == "default" and "=" in site.accepted else ""


def _hidden(site: _Site) -> str:
    is_field = site.text(-1) == "private" and site.text(1) == ":" and "invariant" in site.accepted
    return f"write `{site.text(0)}: T internal` for a field that no answer shows" if is_field else ""


def _chosen(site: _Site) -> str:
    return "write `match { … => …, else => … }`" if site.text(-1) in ("switch", "case") and site.is_name(0) else ""


def _member_of(site: _Site) -> str:
    is_test = site.text(0) == "in" and site.kinds[site.token - 1] in _VALUE_ENDS and site.is_name(1)
    return f"write `{site.text(1)}.contains(…)`" if is_test else ""


def _compared(site: _Site) -> str:
    is_condition = "OPERATOR" in site.accepted and not {"=", ":="}.intersection(site.accepted)
    if site.text(0) == "=" and is_condition:
        return "write `==` to compare"
    is_like = site.text(0).lower() == "like" and is_condition
    return "write `.contains(…)`, `.startsWith(…)` or `.endsWith(…)`" if is_like else ""


def _ordered(site: _Site) -> str:
    is_order = site.text(0) in ("order", "orderBy", "sort", "limit") and {"find", "ignoring"} <= set(site.accepted)
    return "a find has no order: write a `retrieval` with `sort`" if is_order else ""


def _condition(site: _Site) -> str:
    """A head says in one word which states it is for, or which rows."""
    if site.text(0) in ("if", "where", "provided") and "when" in site.accepted:
        return "write `when …`"
    if site.text(0) in ("if", "when", "having") and "where" in site.accepted:
        return "write `where …`"
    is_branch = site.text(0) == "then" and "{" in site.accepted
    return "remove it: what is done stands in braces behind the condition" if is_branch else ""


def _inherits(site: _Site) -> str:
    return f"write `extends {site.text(1)}`" if site.text(0) == ":" and "extends" in site.accepted else ""


def _scoped(site: _Site) -> str:
    return f"write `{site.text(-1)}.{site.text(2)}`" if site.text(0) == ":" and site.text(1) == ":" else ""


def _message(site: _Site) -> str:
    is_told = site.text(0) in (",", "else", "=>", "->") and site.kinds[site.token + 1] == "STRING"
    if is_told and "message" in site.accepted:
        return 'write `message "…"`'
    is_labelled = site.kinds[site.token] == "STRING" and (site.text(-2), site.text(-1)) == ("message", ":")
    return 'write `message "…"`, without a colon' if is_labelled else ""


def _named_rule(site: _Site) -> str:
    if site.text(-2) != "invariant":
        return ""
    if site.kinds[site.token - 1] == "STRING":
        return 'write the condition first, and then `message "…"`'
    return "an invariant has no name: remove it" if site.text(0) == ":" else ""


def _derived(site: _Site) -> str:
    if site.text(-1) == "derived" and site.text(1) == "=":
        return f"write `derived {site.text(0)}: T = …`"
    is_value = site.text(-4) == "derived" and "=" in site.accepted
    return "write `= …`: a derived value is one expression" if is_value and site.text(0) in ("=>", "->", "{") else ""


def _contained(site: _Site) -> str:
    is_part = site.text(-1) == "contains" and site.is_name(0) and site.is_name(1)
    many = "[]" if site.text(2) == "[]" else ""
    return f"write `contains {site.text(0)}: {site.text(1)}{many}`" if is_part else ""


def _key(site: _Site) -> str:
    if site.text(-1) != "unique" or "(" not in site.accepted:
        return ""
    return f"write `unique ({site.text(0) if site.is_name(0) else '…'})` as a member of its own"


def _named_argument(site: _Site) -> str:
    is_given = site.text(1) == "=" and {"KEY", ")"} <= set(site.accepted)
    return f"write `{site.text(0)}: …`" if is_given else ""


def _created(site: _Site) -> str:
    is_create = site.text(0) in (":", "->") and site.text(-1) == ")" and set(site.accepted) == {"{", "audited"}
    return "remove it: a create answers the id of what is new" if is_create else ""


def _unbraced(site: _Site) -> str:
    is_body = site.text(-1) == ")" and site.is_name(0) and "{" in site.accepted and "ignoring" in site.accepted
    return "put what is done into braces" if is_body else ""


_RECOGNISED: tuple[Callable[[_Site], str], ...] = (
    _declaration,
    _bracketed_type,
    _index,
    _result,
    _lambda,
    _emitted,
    _filled,
    _enum_value,
    _default,
    _hidden,
    _chosen,
    _member_of,
    _unbraced,
    _compared,
    _ordered,
    _condition,
    _inherits,
    _scoped,
    _message,
    _named_rule,
    _derived,
    _contained,
    _key,
    _named_argument,
    _created,
)
