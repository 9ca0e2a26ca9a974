"""The root of the model: enums, value objects and functions that every context sees.

In: what the files declare outside contexts, and the signatures that ids there may name. Out: the IR of the root,
its signature, places and mistakes. Never: a system; that is `system`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from loom.base import Diagnostic, Value, circles, descendants
from loom.ir import program as ir
from loom.ir.expressions import FieldKind, FunctionCall, FunctionScope
from loom.ir.places import Places
from loom.ir.types import Ref
from loom.ir.uses import Uses
from loom.lower.declarations.access import claims, denies_by_default, subdomain_signatures
from loom.lower.declarations.capabilities import capability_signatures
from loom.lower.declarations.members import function
from loom.lower.declarations.migrations import migration_signatures
from loom.lower.declarations.tenancy import tenancy_signature
from loom.lower.declarations.values import enum, record, value_object
from loom.lower.expressions import evaluate
from loom.lower.expressions.defaults import default_of, parameter_default
from loom.lower.problems.members import FunctionRecursive, FunctionToplevelBlock
from loom.lower.problems.names import DuplicateEnum, DuplicateFunction, DuplicateValueobject, PayloadNameConflict
from loom.lower.problems.tests import TestNeedsTarget
from loom.lower.scope.frames import Body, Frame, Scope
from loom.lower.scope.members import parameters as parameter_shapes
from loom.lower.scope.names import Kind, Names, foreign_aggregates, foreign_types, unions_of
from loom.lower.scope.principal import principal_of
from loom.lower.scope.resources import resource_signatures
from loom.lower.scope.shapes import FunctionShape, InstanceShape, Tables
from loom.lower.scope.source import Source
from loom.lower.scope.tables import errors_of, record_shape, value_object_shape, values_by_name
from loom.lower.scope.typerefs import Position, TypeScope
from loom.lower.scope.unions import unions
from loom.lower.signature import (
    ContextSignature,
    DerivedSignature,
    EnumSignature,
    FunctionSignature,
    MigrationSignature,
    RecordSignature,
    SharedSignature,
    ValueObjectSignature,
)
from loom.parse import ast

Outside = Sequence[tuple[str, ast.File]]
RootMember = ast.Enum | ast.ValueObject | ast.Payload | ast.PayloadUnion | ast.Function


class LoweredShared(Value):
    stored = False

    shared: ir.Shared
    signature: SharedSignature
    places: Places
    diagnostics: tuple[Diagnostic, ...]
    uses: Uses = Uses()


def lower_shared(outside: Outside, signatures: Iterable[ContextSignature]) -> LoweredShared:
    """`outside` is each file with its path; what it holds of contexts is not looked at."""
    signatures = list(signatures)
    sources = {path: Source(path, ast.SYSTEM_CHUNK) for path, _ in outside}
    declared = list(_declared(outside, sources))
    names = _names(outside, declared, signatures)
    access = _access(outside, names, sources, signatures)
    tables = _tables(declared, names, sources)
    frames = {
        path: Frame(scope=Scope(names, tables, source, principal_of(access, "")), body=Body.PURE, evaluate=evaluate)
        for path, source in sources.items()
    }
    capabilities = tuple(capability_signatures(_members(outside, sources), names))
    shared = _lowered(declared, tables, frames, _tests(outside, tables, sources))
    migrations = _migrations(outside, sources, signatures)
    problems = [problem for source in sources.values() for problem in source.problems]
    return LoweredShared(
        shared=shared,
        signature=_signature(names, tables, declared, frames, shared).model_copy(
            update={
                "capabilities": capabilities,
                "unsupported": _broken(outside, {item.name for item in capabilities}),
                "test_cases": _test_cases(outside),
                "claims": access.claims,
                "subdomains": access.subdomains,
                "default_deny": access.default_deny,
                "tenancy": access.tenancy,
                "migrations": migrations,
                "resources": resource_signatures(member for _, file in outside for member in root_members(file)),
            }
        ),
        places=Places(entries=tuple(place for source in sources.values() for place in source.places)),
        diagnostics=tuple(dict.fromkeys(problems)),
        uses=Uses(entries=tuple(use for source in sources.values() for use in source.used().entries)),
    )


def _migrations(
    outside: Outside, sources: Mapping[str, Source], signatures: Sequence[ContextSignature]
) -> tuple[MigrationSignature, ...]:
    members = [(sources[path], item) for path, file in outside for item in file.members]
    declared = [(source, item) for source, item in members if isinstance(item, ast.Migration)]
    return migration_signatures(declared, signatures)


def _access(
    outside: Outside, names: Names, sources: Mapping[str, Source], signatures: Sequence[ContextSignature]
) -> SharedSignature:
    """The part of the signature that says who there is and what they may do."""
    members = _members(outside, sources)
    known = claims([(TypeScope(names, source), item) for source, item in members if isinstance(item, ast.User)])
    tenancies = [(source, item) for source, item in members if isinstance(item, ast.Tenancy)]
    return SharedSignature(
        claims=known,
        tenancy=tenancy_signature(tenancies, known or (), signatures),
        subdomains=subdomain_signatures((source, item) for source, item in members if isinstance(item, ast.Subdomain)),
        default_deny=any(denies_by_default(item) for _, item in members if isinstance(item, ast.Auth)),
    )


def _members(outside: Outside, sources: Mapping[str, Source]) -> list[tuple[Source, ast.TopMember]]:
    return [(sources[path], item) for path, file in outside for item in root_members(file)]


def root_members(file: ast.File) -> Iterator[ast.TopMember]:
    """The members of a file and of the systems in it."""
    for member in file.members:
        yield member
        if isinstance(member, ast.System):
            yield from member.members


def _declared(outside: Outside, sources: Mapping[str, Source]) -> Iterator[tuple[str, RootMember]]:
    """Types and functions with their files, the first of each name."""
    types: set[str] = set()
    functions: set[str] = set()
    for path, file in outside:
        for item in root_members(file):
            if not isinstance(item, RootMember):
                continue
            seen = functions if isinstance(item, ast.Function) else types
            if item.name in seen:
                sources[path].report(_doubled(item, sources[path]))
                continue
            seen.add(item.name)
            yield path, item


def _doubled(item: RootMember, source: Source) -> Diagnostic:
    at = source.place(item.at)
    match item:
        case ast.Enum(name=name):
            return DuplicateEnum(at=at, name=name)
        case ast.ValueObject(name=name):
            return DuplicateValueobject(at=at, name=name)
        case ast.Function(name=name):
            return DuplicateFunction(at=at, name=name)
        case ast.Payload(name=name) | ast.PayloadUnion(name=name):
            return PayloadNameConflict(at=at, name=name, where="the root of the model")


_KINDS = {
    ast.Enum: Kind.ENUM,
    ast.ValueObject: Kind.VALUE_OBJECT,
    ast.Payload: Kind.RECORD,
    ast.PayloadUnion: Kind.UNION,
}


def _names(
    outside: Outside, declared: Iterable[tuple[str, RootMember]], signatures: Iterable[ContextSignature]
) -> Names:
    signatures = list(signatures)
    local = {item.name: _KINDS[type(item)] for _, item in declared if not isinstance(item, ast.Function)}
    return Names(
        context="",
        local=local,
        root={},
        parts={},
        foreign=foreign_aggregates(signatures),
        foreign_types=foreign_types(signatures),
        foreign_repositories={},
        test_cases=frozenset(_test_cases(outside)),
        unions=unions_of(item for _, item in declared),
    )


def _tables(declared: list[tuple[str, RootMember]], names: Names, sources: Mapping[str, Source]) -> Tables:
    enums = {
        item.name: (Ref(context="", name=item.name), tuple(value.name for value in item.values))
        for _, item in declared
        if isinstance(item, ast.Enum)
    }
    return Tables(
        context="",
        enums=enums,
        enum_values=values_by_name(enums),
        value_objects={
            item.name: value_object_shape(item, TypeScope(names, sources[path]))
            for path, item in declared
            if isinstance(item, ast.ValueObject)
        },
        records={
            item.name: record_shape(item, TypeScope(names, sources[path]))
            for path, item in declared
            if isinstance(item, ast.Payload)
        },
        errors=errors_of("", [item for _, item in declared]),
        functions={
            item.name: _function_shape(item, TypeScope(names, sources[path]))
            for path, item in declared
            if isinstance(item, ast.Function)
        },
    )


def _function_shape(item: ast.Function, types: TypeScope) -> FunctionShape:
    given = parameter_shapes(item.parameters, types, Position.FUNCTION)
    returns = types.resolve(item.returns, Position.FUNCTION)
    owner = Ref(context="", name=item.name)
    return FunctionShape(item.name, FunctionScope.ROOT, owner, given, returns)


def _lowered(
    declared: list[tuple[str, RootMember]],
    tables: Tables,
    frames: Mapping[str, Frame],
    tests: Mapping[str, list[ast.Test]],
) -> ir.Shared:
    return ir.Shared(
        enums=tuple(enum(item, frames[path].scope.source) for path, item in declared if isinstance(item, ast.Enum)),
        value_objects=tuple(
            value_object(frames[path], item, tables.value_objects[item.name], tests.get(item.name, ()))
            for path, item in declared
            if isinstance(item, ast.ValueObject)
        ),
        functions=_functions(declared, tables, frames),
        records=tuple(
            record(frames[path], item, tables.records[item.name])
            for path, item in declared
            if isinstance(item, ast.Payload)
        ),
    )


def _functions(
    declared: list[tuple[str, RootMember]], tables: Tables, frames: Mapping[str, Frame]
) -> tuple[ir.Function, ...]:
    made: dict[str, ir.Function] = {}
    for path, item in declared:
        if not isinstance(item, ast.Function):
            continue
        frame = frames[path]
        frame.scope.source.declare(item.at, item.name)
        if isinstance(item.body, tuple):
            frame.report(FunctionToplevelBlock(at=frame.at(item.at), name=item.name))
            continue
        lowered = function(replace(frame, body=Body.FUNCTION), item, tables.functions[item.name])
        if lowered is not None:
            made[item.name] = lowered
    _check_recursion(declared, made, frames)
    return tuple(made.values())


def _check_recursion(
    declared: Iterable[tuple[str, RootMember]], made: Mapping[str, ir.Function], frames: Mapping[str, Frame]
) -> None:
    files = {item.name: (path, item.at) for path, item in declared}
    for way in circles({name: tuple(dict.fromkeys(_called(item))) for name, item in made.items()}):
        path, at = files[way[0]]
        frame = frames[path]
        frame.report(FunctionRecursive(at=frame.at(at), name=way[0], path=" → ".join(way)))


def _called(item: ir.Function) -> Iterator[str]:
    for node in descendants(item):
        if isinstance(node, FunctionCall) and node.scope is FunctionScope.ROOT:
            yield node.name


def _broken(outside: Outside, sound: Set[str]) -> tuple[str, ...]:
    """The capabilities of which is unknown what they add; only who takes one on is told nothing for lack of it."""
    members = (item for _, file in outside for item in root_members(file))
    named = [item.name for item in members if isinstance(item, ast.Capability) and item.name not in sound]
    return tuple(dict.fromkeys(named))


def _test_cases(outside: Outside) -> tuple[str, ...]:
    return tuple(item.name for _, file in outside for item in file.members if isinstance(item, ast.TestCase))


def _tests(outside: Outside, tables: Tables, sources: Mapping[str, Source]) -> dict[str, list[ast.Test]]:
    found: dict[str, list[ast.Test]] = {}
    for path, file in outside:
        for item in file.members:
            if not isinstance(item, ast.Test):
                continue
            if item.subject is None:
                sources[path].report(TestNeedsTarget(at=sources[path].place(item.at), name=item.name))
            elif item.subject.name in tables.value_objects:
                found.setdefault(item.subject.name, []).append(item)
            else:
                sources[path].unsupported(item.at, "tests outside the context of their subject")
    return found


def _signature(
    names: Names,
    tables: Tables,
    declared: list[tuple[str, RootMember]],
    frames: Mapping[str, Frame],
    shared: ir.Shared,
) -> SharedSignature:
    files = {item.name: path for path, item in declared}
    records = {item.name: item for item in shared.records}
    return SharedSignature(
        records=tuple(
            RecordSignature(name=name, fields=item.fields, error=item.error) for name, item in records.items()
        ),
        unions=tuple(unions(names, [(item, frames[path].scope.source) for path, item in declared])),
        enums=tuple(
            EnumSignature(name=name, values=tuple(dict.fromkeys(values))) for name, (_, values) in tables.enums.items()
        ),
        value_objects=tuple(
            _value_object_signature(frames[files[name]], shape) for name, shape in tables.value_objects.items()
        ),
        functions=tuple(_function_signature(frames[files[name]], shape) for name, shape in tables.functions.items()),
    )


def _value_object_signature(frame: Frame, shape: InstanceShape) -> ValueObjectSignature:
    return ValueObjectSignature(
        name=shape.name,
        fields=tuple(
            ir.Property(
                name=item.name,
                type=item.type,
                access=item.access,
                default=default_of(frame, shape, item),
                sensitive=tuple(sorted(item.tags)),
            )
            for item in shape.stored()
            if item.type is not None
        ),
        derived=tuple(
            DerivedSignature(name=item.name, type=item.type, sensitive=tuple(sorted(item.tags)))
            for item in shape.members.values()
            if item.kind is FieldKind.DERIVED
        ),
        functions=tuple(_function_signature(frame, item) for item in shape.functions.values()),
    )


def _function_signature(frame: Frame, shape: FunctionShape) -> FunctionSignature:
    return FunctionSignature(
        name=shape.name,
        scope=shape.scope,
        parameters=tuple(
            ir.Property(name=item.name, type=item.type, default=parameter_default(frame, item))
            for item in shape.parameters
            if item.type is not None
        ),
        returns=shape.returns,
        sensitive=tuple(sorted(shape.tags)),
    )
