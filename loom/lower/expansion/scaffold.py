"""What `with scaffoldHandlers` stands for: a handler for whatever can be done to an aggregate, and its messages.

In: the aggregates and repositories of a context, written out. Out: records, handlers and repositories, all of them at
the word that asked for them.
Never: a handler that cannot be written by hand: what has no such form is named as not understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from loom.base import camel, pascal, plural, words
from loom.lower.expansion.placed import placed
from loom.lower.mentions import below
from loom.parse import ast

_CREATED = (ast.Access.EDITABLE, ast.Access.IMMUTABLE, ast.Access.SECRET)
_UPDATED = (ast.Access.EDITABLE, ast.Access.SECRET)
_HIDDEN = (ast.Access.INTERNAL, ast.Access.SECRET)
_FOUND = ast.Name(0, "found")


class Scaffold(msgspec.Struct, frozen=True):
    """One aggregate: its repository, and the fields whose values are parts."""

    aggregate: ast.Aggregate
    repository: str
    finds: tuple[ast.Find, ...]

    @property
    def name(self) -> str:
        return self.aggregate.name

    @property
    def identity(self) -> ast.Property:
        """How a message says which one is meant."""
        return ast.Property(0, f"{camel(words(self.name))}Id", ast.TypeRef(0, self.name, is_id=True))


def scaffolded(members: Iterable[ast.ContextMember], at: int) -> tuple[ast.ContextMember, ...]:
    members = list(members)
    repositories = {item.aggregate.name: item for item in reversed(members) if isinstance(item, ast.Repository)}
    aggregates = [item for item in members if isinstance(item, ast.Aggregate) and not item.is_abstract]
    made = [part for item in aggregates for part in _of_aggregate(item, repositories)]
    return tuple(placed(item, at, "") for item in made)


def _of_aggregate(item: ast.Aggregate, known: Mapping[str, ast.Repository]) -> Iterator[ast.ContextMember]:
    own = known.get(item.name)
    name = own.name if own is not None else pascal(plural(words(item.name)))
    if own is None:
        yield ast.Repository(0, name, ast.NameRef(0, item.name), ())
    made = Scaffold(item, name, own.finds if own is not None else ())
    yield from _creates(made)
    yield from _operations(made)
    yield from _destroys(made)
    yield _response(made)
    yield from _reads(made)


def _crudish(aggregate: ast.Aggregate) -> ast.MacroCall | None:
    return next((item for item in aggregate.macros if item.name == "crudish"), None)


def is_update_only(macro: ast.MacroCall) -> bool:
    """Whether `crudish(updateOnly: true)` is written."""
    return any(item.name == "updateOnly" and item.value is True for item in macro.arguments)


def _is_full(macro: ast.MacroCall | None) -> bool:
    return macro is not None and not is_update_only(macro)


def _creates(made: Scaffold) -> Iterator[ast.ContextMember]:
    found = next((item for item in made.aggregate.members if isinstance(item, ast.Create) and not item.name), None)
    if found is not None:
        fields = [_given(item) for item in found.parameters]
    elif _is_full(_crudish(made.aggregate)):
        if _holds_parts(made):
            yield ast.Unsupported(0, f"`scaffoldHandlers` for the create of `{made.name}`, which takes parts", "")
            return
        fields = [_input(item) for item in _properties(made) if item.access in _CREATED]
    else:
        return
    values = ast.ObjectLiteral(0, tuple(ast.FieldValue(0, item.name, _of("command", item.name)) for item in fields))
    create = _call(ast.Member(0, ast.Name(0, made.name), "create"), values)
    body = (ast.Let(0, "made", create), ast.Return(0, ast.Member(0, ast.Name(0, "made"), "id")))
    yield from _message(made, "create", ast.PayloadKind.COMMAND, fields, body, made.identity.type)


def _input(item: ast.Property) -> ast.Property:
    """A field as a create takes it; a `bool` may be left out."""
    is_flag = item.type == ast.TypeRef(item.type.at, "bool") and item.default is None
    default = ast.BoolLiteral(0, False) if is_flag else item.default
    return ast.Property(0, item.name, item.type, default=default, sensitive=item.sensitive)


def _given(item: ast.Parameter) -> ast.Property:
    return ast.Property(0, item.name, item.type, default=item.default)


def _holds_parts(made: Scaffold) -> bool:
    """Whether a create needs a part, which no message carries."""
    held = [item.type for item in made.aggregate.members if isinstance(item, ast.Property | ast.Containment)]
    return any(item.name in _parts(made) and not item.is_list and not item.is_optional for item in held)


def _parts(made: Scaffold) -> set[str]:
    return {item.name for item in made.aggregate.members if isinstance(item, ast.EntityPart)}


def _properties(made: Scaffold) -> list[ast.Property]:
    """Fields that are no parts."""
    parts = _parts(made)
    return [item for item in made.aggregate.members if isinstance(item, ast.Property) and item.type.name not in parts]


def _operations(made: Scaffold) -> Iterator[ast.ContextMember]:
    for item in made.aggregate.members:
        if isinstance(item, ast.Operation) and not item.is_private:
            answer = item.returns if item.extern is None and _only_reads(item.body) else None
            yield from _operation(made, item.name, [_given(one) for one in item.parameters], answer)
    if _crudish(made.aggregate) is not None:
        fields = [item for item in _properties(made) if item.access in _UPDATED]
        replaced = [ast.Property(0, item.name, item.type, sensitive=item.sensitive) for item in fields]
        yield from _operation(made, "update", replaced, None)


def _only_reads(body: tuple[ast.Statement, ...]) -> bool:
    """Whether a handler may bind what an operation answers: one that changes something is called for that alone."""
    return not any(isinstance(item, ast.Assign | ast.Emit | ast.Evaluate) for item in below(body))


def _operation(
    made: Scaffold, name: str, given: list[ast.Property], returns: ast.TypeRef | None
) -> Iterator[ast.ContextMember]:
    arguments = [_of("command", item.name) for item in given]
    call = _call(ast.Member(0, _FOUND, name), *arguments)
    answer: tuple[ast.Statement, ...] = (ast.Evaluate(0, call),)
    if returns is not None:
        answer = (ast.Let(0, "answer", call), ast.Return(0, ast.Name(0, "answer")))
    body = (_load(made, "command"), *answer)
    yield from _message(made, name, ast.PayloadKind.COMMAND, [made.identity, *given], body, returns)


def _destroys(made: Scaffold) -> Iterator[ast.ContextMember]:
    found = next((item for item in made.aggregate.members if isinstance(item, ast.Destroy) and not item.name), None)
    if found is not None and found.parameters:
        yield ast.Unsupported(0, f"`scaffoldHandlers` for the destroy of `{made.name}`, which takes parameters", "")
        return
    if found is None and not _is_full(_crudish(made.aggregate)):
        return
    delete = _call(ast.Member(0, ast.Name(0, made.repository), "delete"), _FOUND)
    body = (_load(made, "command"), ast.Evaluate(0, delete))
    yield from _message(made, "destroy", ast.PayloadKind.COMMAND, [made.identity], body, None)


def _response(made: Scaffold) -> ast.Payload:
    """What everybody may read of it: nothing hidden, nothing masked, and no parts, which no message carries."""
    return ast.Payload(0, ast.PayloadKind.RESPONSE, _answer(made), tuple(_shown(made)))


def _answer(made: Scaffold) -> str:
    return f"{made.name}Response"


def _shown(made: Scaffold) -> Iterator[ast.Property]:
    yield ast.Property(0, "id", ast.TypeRef(0, made.name, is_id=True))
    for item in _properties(made):
        if item.access not in _HIDDEN and item.mask is None:
            yield ast.Property(0, item.name, item.type, sensitive=item.sensitive)
    for derived in made.aggregate.members:
        if isinstance(derived, ast.Derived):
            yield ast.Property(0, derived.name, derived.type)


def _reads(made: Scaffold) -> Iterator[ast.ContextMember]:
    loaded = (_load(made, "query"), _answered(made))
    answer = ast.TypeRef(0, _answer(made))
    yield from _message(made, "get", ast.PayloadKind.QUERY, [made.identity], loaded, answer)
    for find in made.finds:
        given = [_given(item) for item in find.parameters]
        body, answered = _found(made, find, answer)
        yield from _message(made, find.name, ast.PayloadKind.QUERY, given, body, answered)


def _found(made: Scaffold, find: ast.Find, one: ast.TypeRef) -> tuple[tuple[ast.Statement, ...], ast.TypeRef]:
    """What a find answers: several go as they are, for no message holds them."""
    arguments = [_of("query", item.name) for item in find.parameters]
    call = _call(ast.Member(0, ast.Name(0, made.repository), find.name), *arguments)
    if find.returns.is_list or "paged" in find.returns.carriers or find.returns.others:
        return (ast.Let(0, "found", call), ast.Return(0, _FOUND)), find.returns
    if find.returns.is_optional or "option" in find.returns.carriers:
        return (ast.IfLet(0, "found", call, (_answered(made),), (ast.NotFound(0, None),)),), one
    return (ast.Let(0, "found", call), _answered(made)), one


def _answered(made: Scaffold) -> ast.Statement:
    fields = tuple(ast.FieldValue(0, item.name, ast.Member(0, _FOUND, item.name)) for item in _shown(made))
    return ast.Return(0, ast.Builder(0, _answer(made), fields))


def _load(made: Scaffold, message: str) -> ast.Statement:
    read = ast.Member(0, ast.Name(0, made.repository), "getById")
    return ast.Let(0, "found", _call(read, _of(message, made.identity.name)))


def _message(
    made: Scaffold,
    verb: str,
    kind: ast.PayloadKind,
    fields: Iterable[ast.Property],
    body: tuple[ast.Statement, ...],
    returns: ast.TypeRef | None,
) -> Iterator[ast.ContextMember]:
    """A record and the handler that takes it."""
    named = f"{verb[0].upper()}{verb[1:]}{made.name}"
    is_query = kind is ast.PayloadKind.QUERY
    taken = ast.Parameter(0, "query" if is_query else "command", ast.TypeRef(0, named))
    given = tuple(fields)
    yield ast.Payload(0, kind, named, given)
    # A message without fields says nothing that a handler could read.
    yield ast.Handler(0, f"handle{named}", is_query, False, (taken,) if given else (), returns, body)


def _of(message: str, name: str) -> ast.Expression:
    return ast.Member(0, ast.Name(0, message), name)


def _call(callee: ast.Expression, *values: ast.Expression) -> ast.Call:
    return ast.Call(0, callee, tuple(ast.Argument(0, "", value) for value in values))
