"""Routes of an api to handlers, and the statuses of its errors.

In: an api as written, and the signatures of all contexts. Out: IR routes and statuses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from loom.base import Feature, nearest, snake, words
from loom.ir import deployment
from loom.lower.problems.handlers import (
    HttpStatusRange,
    ReadContextRepoWrite,
    RouteDeclaredTwice,
    RouteHandlerUnresolved,
    RouteMethodUnknown,
    RoutePlaceholder,
)
from loom.lower.problems.names import LinkingError
from loom.lower.scope.source import Source
from loom.lower.scope.unions import STRUCTURAL_ERRORS
from loom.lower.signature import ContextSignature, HandlerSignature
from loom.parse import ast

Contexts = Mapping[str, ContextSignature]
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_PATH = re.compile(r"(/([A-Za-z0-9_.~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def routes(source: Source, declared: ast.Api, contexts: Contexts) -> tuple[deployment.Route, ...]:
    seen: set[tuple[str, str]] = set()
    made: list[deployment.Route] = []
    for item in declared.routes:
        source.use(item.at, Feature.ROUTES)
        shape = (item.method, _PLACEHOLDER.sub("{}", item.path))
        if shape in seen:
            source.report(RouteDeclaredTwice(at=source.place(item.at), method=item.method, path=item.path))
            continue
        seen.add(shape)
        made += _route(source, item, contexts)
    return tuple(made)


def with_scaffolded_routes(declared: ast.Api, contexts: Iterable[ContextSignature]) -> ast.Api:
    """The api with a route to every handler of `contexts` that it has none to, where it says so."""
    at = next((item.at for item in declared.macros), declared.at)
    routed = {(item.context.name, item.handler.name) for item in declared.routes}
    made = tuple(
        ast.Route(
            at,
            "GET" if handler.query else "POST",
            f"/{snake(words(context.name))}/{snake(words(handler.name))}",
            ast.NameRef(at, context.name),
            ast.NameRef(at, handler.name),
        )
        for context in contexts
        for handler in context.handlers
        if (context.name, handler.name) not in routed
    )
    return replace(declared, routes=(*declared.routes, *made))


def _route(source: Source, item: ast.Route, contexts: Contexts) -> Iterator[deployment.Route]:
    at = source.place(item.at)
    if item.method not in _METHODS:
        source.report(RouteMethodUnknown(at=at, method=item.method))
    handler = _handler(source, item, contexts)
    if handler is None:
        return
    if item.method == "GET" and not handler.query:
        source.report(ReadContextRepoWrite(at=at, path=item.path, name=handler.name))
    _check_path(source, item, handler)
    yield deployment.Route(method=item.method, path=item.path, context=item.context.name, handler=handler.name)


def _handler(source: Source, item: ast.Route, contexts: Contexts) -> HandlerSignature | None:
    context, name = item.context.name, item.handler.name
    if context not in contexts:
        near = nearest(context, contexts)
        at = source.place(item.context.at)
        source.report(RouteHandlerUnresolved(at=at, case="context", context=context, name=name, nearest=near))
        return None
    known = {handler.name: handler for handler in contexts[context].handlers}
    if name not in known:
        near = nearest(name, known)
        at = source.place(item.handler.at)
        source.report(RouteHandlerUnresolved(at=at, case="handler", context=context, name=name, nearest=near))
    return known.get(name)


def _check_path(source: Source, item: ast.Route, handler: HandlerSignature) -> None:
    at = source.place(item.at + 1)  # behind the method
    if not _PATH.fullmatch(item.path):
        source.report(RoutePlaceholder(at=at, case="form", name=item.path, handler=handler.name, nearest=""))
        return
    names = _PLACEHOLDER.findall(item.path)
    for name in dict.fromkeys(names):
        if name not in handler.parameters:
            near = nearest(name, handler.parameters)
            source.report(RoutePlaceholder(at=at, case="unknown", name=name, handler=handler.name, nearest=near))
        elif names.count(name) > 1:
            source.report(RoutePlaceholder(at=at, case="twice", name=name, handler=handler.name, nearest=""))


# The errors that have a status without an api that gives them one.
STANDARD = frozenset(
    (
        *("NotFound", "ValidationError", "DomainError", "ParseError", "Forbidden"),
        *("TransportFailure", "UnexpectedStatus", "DeserializeError"),
        *STRUCTURAL_ERRORS,
    )
)


def statuses(source: Source, declared: ast.Api, errors: Collection[str]) -> tuple[tuple[str, int], ...]:
    """`errors` are the records of that kind, wherever they are declared."""
    found: dict[str, int] = {}
    for item in declared.statuses:
        source.use(item.at, Feature.HTTP_STATUSES)
        at = source.place(item.at)
        if item.error not in errors and item.error not in STANDARD:
            near = nearest(item.error, [*errors, *STANDARD])
            source.report(LinkingError(at=at, kind="error record", name=item.error, nearest=near))
        elif not 400 <= item.status <= 599:
            source.report(HttpStatusRange(at=at, error=item.error, status=item.status))
        found[item.error] = item.status
    return tuple(found.items())


def check_statuses(
    found: Contexts, errors: Collection[str], apis: Iterable[deployment.Api], subdomains: Iterable[deployment.Subdomain]
) -> Iterator[tuple[str, str]]:
    """Each context, and an error that it answers without a status."""
    given: dict[str, set[str]] = {}
    for api in apis:
        given.setdefault(api.subdomain, set()).update(name for name, _ in api.statuses)
    homes = {context: item.name for item in subdomains for context in item.contexts}
    for name, context in found.items():
        known = given.get(homes.get(name, ""), set()) | STANDARD
        yield from ((name, failure) for failure in context.failures if failure in errors and failure not in known)
