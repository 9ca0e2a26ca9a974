"""The rules of files, systems, contexts, and of what Loom only names.

In: tokens and declarations. Out: what holds them, and `Unsupported` nodes.
Never: a construct dropped in silence: what is skipped is named, or warned of once a file.
"""

from __future__ import annotations

from msgspec.structs import replace

from loom.parse.ast import (
    Context,
    ContextMember,
    File,
    Handler,
    Import,
    MacroCall,
    Parameter,
    Permissions,
    Statement,
    Subdomain,
    System,
    SystemMember,
    TopMember,
    TypeRef,
)
from loom.parse.draft import Draft
from loom.parse.problems import RemovedForm


def file(d: Draft, members: list[TopMember | Import | None]) -> File:
    imports = tuple(item for item in members if isinstance(item, Import))
    return File(imports, tuple(item for item in members if item and not isinstance(item, Import)))


def import_(d: Draft, token: int, path: int) -> Import:
    return Import(d.numbers[path], d.texts[path])


def system(d: Draft, token: int, members: list[SystemMember | None]) -> System:
    return System(d.numbers[token], d.texts[token], tuple(item for item in members if item))


def subdomain(d: Draft, token: int, members: list[Context | Permissions | None]) -> Subdomain:
    return Subdomain(d.numbers[token], d.texts[token], tuple(item for item in members if item))


def context(d: Draft, keyword: int, token: int, members: list[ContextMember | None]) -> Context:
    return context_with(d, keyword, token, [], members)


def context_with(
    d: Draft, keyword: int, token: int, macros: list[MacroCall], members: list[ContextMember | None]
) -> Context:
    kept = tuple(item for item in members if item)
    return Context(d.numbers[token], d.texts[token], d.label, tuple(macros), kept)


def handler(d: Draft, kind: int, token: int, parameters: list[Parameter], body: list[Statement] | None) -> Handler:
    is_query = d.texts[kind] == "queryHandler"
    statements = None if body is None else tuple(body)
    return Handler(d.numbers[token], d.texts[token], is_query, False, tuple(parameters), None, statements)


def typed_handler(
    d: Draft, kind: int, token: int, parameters: list[Parameter], returns: TypeRef, body: list[Statement] | None
) -> Handler:
    return replace(handler(d, kind, token, parameters, body), returns=returns)


def extern_handler(d: Draft, made: Handler) -> Handler:
    return replace(made, is_extern=True)


def no_body(d: Draft, *_: object) -> None:
    return None


def removed_view(d: Draft, keyword: int, *_: object) -> None:
    d.problems.append(RemovedForm(at=d.place(d.numbers[keyword]), case="view"))


def interface(d: Draft, token: int, *_: object) -> None:
    d.ignore(d.tokens.starts[token], d.texts[token])
