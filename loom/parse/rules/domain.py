"""The rules of what a context declares.

In: tokens and members. Out: declarations.
Never: the members themselves, which `members` makes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from loom.parse.ast import (
    Aggregate,
    AggregateMember,
    Apply,
    Capability,
    CapabilityMember,
    Criterion,
    DomainService,
    EntityPart,
    Enum,
    EnumValue,
    Event,
    Expression,
    Filter,
    Find,
    Implements,
    MacroArgument,
    MacroCall,
    NameRef,
    Parameter,
    PartMember,
    Payload,
    PayloadKind,
    PayloadUnion,
    PolicyFunction,
    Property,
    Reactor,
    Repository,
    ServiceOperation,
    Stamp,
    Statement,
    Test,
    TypeRef,
    Unsupported,
    ValueObject,
    ValueObjectMember,
    Workflow,
    WorkflowCreate,
    WorkflowMember,
)
from loom.parse.draft import Draft
from loom.parse.problems import RemovedForm
from loom.parse.rules.members import Clause, names, sort

# What may follow each header, the first being what every aggregate is unless it says otherwise.
_HEADERS = {
    "persistedAs": ("state", "eventLog"),
    "shape": ("relational", "embedded", "document"),
    "inheritanceUsing": ("sharedTable", "ownTable"),
}
_STAMPS = ("onCreate", "onUpdate")


def enum(d: Draft, token: int, values: list[EnumValue]) -> Enum:
    return Enum(d.numbers[token], d.texts[token], tuple(values))


def enum_value(d: Draft, token: int) -> EnumValue:
    return EnumValue(d.numbers[token], d.texts[token])


def valueobject(d: Draft, token: int, members: list[ValueObjectMember]) -> ValueObject:
    return ValueObject(d.numbers[token], d.texts[token], tuple(members))


def _without_id(d: Draft, members: Iterable[AggregateMember]) -> None:
    """Reports a field `id` of what has one by itself."""
    for member in members:
        if isinstance(member, Property) and member.name == "id":
            d.reject(member.at, "a field `id`", "every aggregate and part has an `id` already")


def part(d: Draft, token: int, members: list[PartMember]) -> EntityPart:
    _without_id(d, members)
    return EntityPart(d.numbers[token], d.texts[token], tuple(members))


def event(d: Draft, token: int, fields: list[Property]) -> Event:
    return Event(d.numbers[token], d.texts[token], tuple(fields))


def payload(d: Draft, kind: int, token: int, fields: list[Property]) -> Payload:
    return Payload(d.numbers[token], PayloadKind(d.texts[kind]), d.texts[token], tuple(fields))


def payload_union(d: Draft, kind: int, token: int, variants: list[TypeRef]) -> PayloadUnion:
    return PayloadUnion(d.numbers[token], PayloadKind(d.texts[kind]), d.texts[token], tuple(variants))


def service_operation(d: Draft, token: int, parameters: list[Parameter], body: list[Statement]) -> ServiceOperation:
    return ServiceOperation(d.numbers[token], d.texts[token], tuple(parameters), None, tuple(body))


def typed_service_operation(
    d: Draft, token: int, parameters: list[Parameter], returns: TypeRef, body: list[Statement]
) -> ServiceOperation:
    return replace(service_operation(d, token, parameters, body), returns=returns)


def domain_service(d: Draft, token: int, members: list[ServiceOperation | Test]) -> DomainService:
    return DomainService(d.numbers[token], d.texts[token], tuple(members))


def first_variant(d: Draft, variant: TypeRef) -> list[TypeRef]:
    return [variant]


def next_variant(d: Draft, before: list[TypeRef], variant: TypeRef) -> list[TypeRef]:
    return [*before, variant]


def filter_(d: Draft, token: int, condition: Expression) -> Filter:
    return Filter(d.numbers[token], condition)


def stamp(d: Draft, token: int, event: int, body: list[Statement]) -> Stamp:
    if d.texts[event] not in _STAMPS:
        d.reject(d.numbers[event], f"unknown stamp `{d.texts[event]}`", "expected `onCreate` or `onUpdate`")
    return Stamp(d.numbers[token], NameRef(d.numbers[event], d.texts[event]), tuple(body))


def implements(d: Draft, keyword: int, token: int) -> Implements:
    return Implements(d.numbers[token], d.texts[token])


def capability(d: Draft, token: int, members: list[CapabilityMember]) -> Capability:
    return Capability(d.numbers[token], d.texts[token], tuple(members))


def criterion(d: Draft, token: int, parameters: list[Parameter], of: TypeRef, condition: Expression) -> Criterion:
    return Criterion(d.numbers[token], d.texts[token], tuple(parameters), of, "", condition)


def criterion_as(
    d: Draft, token: int, parameters: list[Parameter], of: TypeRef, alias: int, condition: Expression
) -> Criterion:
    return replace(criterion(d, token, parameters, of, condition), alias=d.texts[alias])


def policy_function(
    d: Draft, keyword: int, token: int, parameters: list[Parameter], returns: TypeRef, condition: Expression
) -> PolicyFunction:
    return PolicyFunction(d.numbers[token], d.texts[token], tuple(parameters), returns, condition)


def header_word(d: Draft, token: int, *_: int) -> Clause:
    return Clause(d.numbers[token], d.texts[token])


def header_choice(d: Draft, token: int, choice: int, *_: int) -> Clause:
    """A wrong choice is reported, and then taken for the usual one: whoever reads the tree meets no other."""
    name, chosen = d.texts[token], d.texts[choice]
    if name not in _HEADERS:
        d.reject(d.numbers[token], f"unknown clause `{name}:`", "expected one of `" + "`, `".join(_HEADERS) + "`")
        name = f"{name}:"  # no clause that anybody reads, as `with` would be
    elif chosen not in _HEADERS[name]:
        advice = "expected one of `" + "`, `".join(_HEADERS[name]) + "`"
        d.reject(d.numbers[choice], f"unknown `{name}: {chosen}`", advice)
        chosen = _HEADERS[name][0]
    return Clause(d.numbers[token], name, NameRef(d.numbers[token], chosen))


def header_extends(d: Draft, base: int) -> Clause:
    return Clause(d.numbers[base], "extends", NameRef(d.numbers[base], d.texts[base]))


def removed_ids(d: Draft, token: int, *_: int) -> Clause:
    d.problems.append(RemovedForm(at=d.place(d.numbers[token]), case="ids"))
    return Clause(d.numbers[token], "ids", "")


def header_macros(d: Draft, macros: list[MacroCall]) -> Clause:
    return Clause(0, "with", tuple(macros))


def aggregate(d: Draft, token: int, headers: list[Clause], members: list[AggregateMember]) -> Aggregate:
    _without_id(d, members)
    clauses = sort(d, headers)
    macros = clauses.value("with") or ()
    return Aggregate(
        d.numbers[token],
        d.texts[token],
        macros,
        tuple(members),
        base=clauses.value("extends"),
        persistence=clauses.value("persistedAs"),
        shape=clauses.value("shape"),
        inheritance=clauses.value("inheritanceUsing"),
        audited=clauses.word("audited"),
        cross_tenant=clauses.word("crossTenant"),
    )


def abstract_aggregate(
    d: Draft, abstract: int, token: int, headers: list[Clause], members: list[AggregateMember]
) -> Aggregate:
    return replace(aggregate(d, token, headers, members), is_abstract=True)


def macro(d: Draft, token: int, arguments: list[MacroArgument] | None = None) -> MacroCall:
    return MacroCall(d.numbers[token], d.texts[token], tuple(arguments or ()))


def macro_string(d: Draft, token: int, value: int) -> MacroArgument:
    return MacroArgument(d.numbers[token], d.texts[token], d.texts[value])


def macro_integer(d: Draft, token: int, value: int) -> MacroArgument:
    return MacroArgument(d.numbers[token], d.texts[token], int(d.texts[value]))


def macro_true(d: Draft, token: int, value: int) -> MacroArgument:
    return MacroArgument(d.numbers[token], d.texts[token], True)


def macro_false(d: Draft, token: int, value: int) -> MacroArgument:
    return MacroArgument(d.numbers[token], d.texts[token], False)


def macro_name(d: Draft, token: int, value: int) -> MacroArgument:
    return MacroArgument(d.numbers[token], d.texts[token], NameRef(d.numbers[value], d.texts[value]))


def macro_names(d: Draft, token: int, values: list[int] | int) -> MacroArgument:
    listed = names(d, values) if isinstance(values, list) else ()
    return MacroArgument(d.numbers[token], d.texts[token], listed)


def repository(d: Draft, token: int, of: int, finds: list[Find]) -> Repository:
    return Repository(d.numbers[token], d.texts[token], NameRef(d.numbers[of], d.texts[of]), tuple(finds))


def clause_ignoring(d: Draft, token: int, names: list[NameRef] | int) -> Clause:
    """`*` stands for all."""
    listed = names if isinstance(names, list) else [NameRef(d.numbers[names], "*")]
    return Clause(d.numbers[token], "ignoring", tuple(listed))


def first_ignored(d: Draft, token: int) -> list[NameRef]:
    return [NameRef(d.numbers[token], d.texts[token])]


def next_ignored(d: Draft, before: list[NameRef], token: int) -> list[NameRef]:
    return [*before, NameRef(d.numbers[token], d.texts[token])]


def clause_where(d: Draft, value: Any) -> Clause:  # noqa: ANN401 - an expression
    return Clause(value.at, "where", value)


def find(d: Draft, token: int, parameters: list[Parameter], returns: TypeRef, written: list[Clause]) -> Find:
    clauses = sort(d, written)
    requires, where, ignoring = (clauses.value(name) for name in ("requires", "where", "ignoring"))
    return Find(d.numbers[token], d.texts[token], tuple(parameters), returns, requires, where, ignoring or ())


def clause_transactional(d: Draft, level: int = -1) -> Clause:
    named = NameRef(d.numbers[level], d.texts[level]) if level >= 0 else NameRef(0, "")
    return Clause(named.at, "transactional", named)


def clause_level(d: Draft, token: int) -> Clause:
    return Clause(d.numbers[token], "level", NameRef(d.numbers[token], d.texts[token]))


def clause_by(d: Draft, token: int, value: object) -> Clause:
    return Clause(d.numbers[token], "by", value)


def workflow(d: Draft, token: int, headers: list[Clause], members: list[WorkflowMember]) -> Workflow:
    clauses = sort(d, headers)
    isolation, requires, level = (clauses.value(name) for name in ("transactional", "requires", "level"))
    sourced = clauses.word("eventSourced")
    return Workflow(d.numbers[token], d.texts[token], isolation, tuple(members), sourced, requires, level)


def workflow_create(
    d: Draft, token: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]
) -> WorkflowCreate:
    clauses = sort(d, written)
    by, requires, returns = (clauses.value(name) for name in ("by", "requires", "returns"))
    return WorkflowCreate(d.numbers[token], "", tuple(parameters), by, requires, returns, tuple(body))


def named_workflow_create(
    d: Draft, token: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]
) -> WorkflowCreate:
    made = workflow_create(d, token, parameters, written, body)
    return WorkflowCreate(made.at, d.texts[token], made.parameters, made.by, made.requires, made.returns, made.body)


def reactor(
    d: Draft, token: int, parameter: int, event: int, by: Clause | list[object], body: list[Statement]
) -> Reactor:
    named, source = names(d, [parameter, event])
    key = by.value if isinstance(by, Clause) else None
    return Reactor(d.numbers[token], named, source, key, tuple(body))


def apply_(d: Draft, token: int, parameter: int, event: int, body: list[Statement]) -> Apply:
    named, source = names(d, [parameter, event])
    return Apply(d.numbers[token], named, source, tuple(body))


def removed_handle(d: Draft, keyword: int, token: int, *_: object) -> Unsupported:
    d.reject(d.numbers[keyword], "workflows no longer have `handle`", _HANDLE)
    return Unsupported(d.numbers[token], "handle", d.texts[token])


_HANDLE = (
    "move it beside the workflow as `commandHandler name(…) { … }`; a body that uses the workflow's state or "
    "functions, an eventSourced workflow, a `requires`, a parameter `id`, several aggregates or a taken name "
    "cannot move: make it an operation of the aggregate, or a workflow started by an event"
)


def clause_for(d: Draft, token: int) -> Clause:
    return Clause(d.numbers[token], "for", NameRef(d.numbers[token], d.texts[token]))


def clause_verifies(d: Draft, case: NameRef) -> Clause:
    return Clause(case.at, "verifies", case)


def test(d: Draft, title: int, written: list[Clause], body: list[Statement]) -> Test:
    clauses = sort(d, written)
    return Test(d.numbers[title], d.texts[title], clauses.value("for"), tuple(body), clauses.value("verifies"))
