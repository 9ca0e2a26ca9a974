"""The system: its contexts, storages, resources, apis, deployables and end-to-end tests.

In: what the files declare outside contexts, and the signatures of all contexts. Out: the IR system, its places and
mistakes. Never: the insides of a context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple, TypeVar

from msgspec.structs import replace

from loom.base import Diagnostic, Feature, NodePath, Value, node_path
from loom.ir import delivery, deployment
from loom.ir.access import Permission, Tenancy
from loom.ir.places import Place, Places
from loom.ir.uses import Uses
from loom.lower.declarations.access import auth, permissions, user
from loom.lower.declarations.delivery import channel_source, timer
from loom.lower.declarations.deployment import Known, api, deployable, resource, storage
from loom.lower.declarations.routes import check_statuses
from loom.lower.declarations.traceability import Declared, Named, traces
from loom.lower.problems.handlers import UnmappedErrorStatus
from loom.lower.problems.names import DuplicateContext, DuplicateSystem, NoSystem
from loom.lower.problems.system import DuplicateDeclaration, TopLevelDomainNeedsSingleSystem
from loom.lower.scenarios import Served, scenario
from loom.lower.scope.source import Source
from loom.lower.shared import Outside
from loom.lower.signature import ContextSignature, SharedSignature
from loom.parse import ast

M = TypeVar("M", bound=ast.TopMember)
_CONTEXT_NAME = 1  # a context's chunk begins with the keyword; its name is the next token


class LoweredSystem(Value):
    stored = False

    system: deployment.System
    places: Places
    diagnostics: tuple[Diagnostic, ...]
    uses: Uses = Uses()


class Found(NamedTuple):
    """A declaration with the file that holds it and whether a `system` block does."""

    source: Source
    member: ast.TopMember
    inside: bool


Deployed = (
    ast.Storage | ast.Resource | ast.Api | ast.Deployable | ast.EndToEndTest | ast.ChannelSource | ast.TimerSource
)
Blocks = ast.User | ast.Auth | ast.Tenancy
_KINDS: dict[type, str] = {
    **dict.fromkeys((ast.User, ast.Auth, ast.Tenancy), "the block"),
    ast.Storage: "storage",
    ast.Resource: "resource",
    ast.Api: "api",
    ast.Deployable: "deployable",
    ast.EndToEndTest: "test",
    ast.ChannelSource: "channelSource",
    ast.TimerSource: "timerSource",
    ast.Subdomain: "subdomain",
}


def lower_system(outside: Outside, signatures: Iterable[ContextSignature], shared: SharedSignature) -> LoweredSystem:
    sources = [Source(path, ast.SYSTEM_CHUNK) for path, _ in outside]
    files = [file for _, file in outside]
    systems = [
        (source, item)
        for source, file in zip(sources, files, strict=True)
        for item in file.members
        if isinstance(item, ast.System)
    ]
    found = [item for source, file in zip(sources, files, strict=True) for item in _members(source, file)]
    _check_single(systems, found, sources)
    subdomains, contexts = _contexts(found, shared)
    name, known = systems[0][1].name if systems else "", list(signatures)
    errors = _errors(shared, known)
    system = _system(name, found, subdomains, contexts, known, shared, errors)
    _report_unmapped(system, known, contexts, errors, sources)
    problems = [problem for source in sources for problem in source.problems]
    return LoweredSystem(
        system=system,
        places=Places(entries=tuple(place for source in sources for place in source.places)),
        diagnostics=tuple(dict.fromkeys(problems)),
        uses=Uses(entries=tuple(use for source in sources for use in source.used().entries)),
    )


def _members(source: Source, file: ast.File) -> Iterator[Found]:
    for member in file.members:
        if isinstance(member, ast.System):
            yield from (Found(source, item, True) for item in member.members)
        else:
            yield Found(source, member, False)


def _check_single(
    systems: Sequence[tuple[Source, ast.System]], found: Sequence[Found], sources: Sequence[Source]
) -> None:
    for source, item in systems[1:]:
        case: Literal["same", "other"] = "same" if item.name == systems[0][1].name else "other"
        source.report(DuplicateSystem(at=source.place(item.at), case=case, name=item.name))
    if len(systems) == 1:
        return
    loose = [item for item in found if not item.inside and isinstance(item.member, Deployed | Blocks)]
    for one in loose:
        at = one.source.place(one.member.at)
        kind = _KINDS[type(one.member)]
        name = one.member.name if isinstance(one.member, Deployed) else type(one.member).__name__.lower()
        one.source.report(TopLevelDomainNeedsSingleSystem(at=at, kind=kind, name=name))
    if not systems and not loose and sources:
        sources[0].report(NoSystem(at=sources[0].place(0)))


def _contexts(
    found: Sequence[Found], shared: SharedSignature
) -> tuple[tuple[deployment.Subdomain, ...], Mapping[str, NodePath]]:
    """Subdomains of one name are one; a context belongs to at most one of them. Contexts are told with their places."""
    names: dict[str, NodePath] = {}
    subdomains: dict[str, list[str]] = {}
    held: dict[str, tuple[Permission, ...]] = {}
    signed = {item.name: item for item in shared.subdomains}
    for item in found:
        match item.member:
            case ast.Context():
                _context(item.source, item.member, names)
            case ast.Subdomain(name=name, at=at, members=members):
                item.source.declare(at, name)
                mine = subdomains.setdefault(name, [])
                for inner in members:
                    if isinstance(inner, ast.Context):
                        _context(item.source, inner, names)
                        mine.append(inner.name)
                    else:
                        held[name] = permissions(item.source, signed[name], inner)
    made = (
        deployment.Subdomain(name=name, contexts=tuple(dict.fromkeys(mine)), permissions=held.get(name, ()))
        for name, mine in subdomains.items()
    )
    return tuple(made), names


def _context(source: Source, context: ast.Context, names: dict[str, NodePath]) -> None:
    at = node_path(source.file, context.chunk, _CONTEXT_NAME)
    if context.name in names:
        source.report(DuplicateContext(at=at, name=context.name))
        return
    names[context.name] = at
    source.places.append(Place(path=(context.name,), at=at))


def _system(
    name: str,
    found: Sequence[Found],
    subdomains: tuple[deployment.Subdomain, ...],
    contexts: Iterable[str],
    signatures: list[ContextSignature],
    shared: SharedSignature,
    errors: AbstractSet[str],
) -> deployment.System:
    kept = _distinct(found)
    known = replace(
        _known(kept, subdomains, signatures, errors),
        has_user=shared.claims is not None,
        capabilities=frozenset(item.name for item in shared.capabilities),
    )
    deployables = tuple(deployable(*item, known) for item in _of(kept, ast.Deployable))
    traced = [(item.source, item.member) for item in found if isinstance(item.member, Declared)]
    cases = [item.name for _, item in traced if isinstance(item, ast.TestCase)]
    served = Served(deployables, signatures, _partial(kept, known), cases)
    return deployment.System(
        name=name,
        subdomains=subdomains,
        contexts=tuple(contexts),
        storages=tuple(storage(*item) for item in _of(kept, ast.Storage)),
        resources=tuple(resource(*item, known) for item in _of(kept, ast.Resource)),
        apis=tuple(api(*item, known) for item in _of(kept, ast.Api)),
        deployables=deployables,
        scenarios=tuple(scenario(*item, served) for item in _of(kept, ast.EndToEndTest)),
        channel_sources=tuple(_channel_sources(kept, known)),
        timers=tuple(_timers(kept, known)),
        user=next((user(source, item, shared.claims or ()) for source, item in _of(found, ast.User)), None),
        tenancy=_tenancy(found, shared),
        auth=auth(list(_of(found, ast.Auth)), shared.claims),
        traces=traces(traced, _named(known, subdomains, deployables)),
    )


def _tenancy(found: Iterable[Found], shared: SharedSignature) -> Tenancy | None:
    for source, item in _of(found, ast.Tenancy):
        source.use(item.at, Feature.TENANCY)
    known = shared.tenancy
    if known is None:
        return None
    return Tenancy(claim=known.claim, registry=known.registry, hierarchical=known.hierarchical)


def _of(found: Iterable[Found], kind: type[M]) -> Iterator[tuple[Source, M]]:
    """The declarations of one kind."""
    return ((item.source, item.member) for item in found if isinstance(item.member, kind))


def _channel_sources(kept: Sequence[Found], known: Known) -> Iterator[delivery.ChannelSource]:
    for item in kept:
        if isinstance(item.member, ast.ChannelSource):
            yield from channel_source(item.source, item.member, known.contexts, known.storages)


def _timers(kept: Sequence[Found], known: Known) -> Iterator[delivery.Timer]:
    for item in kept:
        if isinstance(item.member, ast.TimerSource):
            yield from timer(item.source, item.member, known.contexts)


def _named(
    known: Known, subdomains: tuple[deployment.Subdomain, ...], deployables: tuple[deployment.Deployable, ...]
) -> Named:
    return Named(
        subdomains={item.name: item.contexts for item in subdomains},
        contexts=known.contexts,
        others=frozenset((*known.apis, *[item.name for item in deployables])),
    )


def _partial(kept: Sequence[Found], known: Known) -> Iterator[str]:
    """The deployables that name a context which nobody declares."""
    for item in kept:
        if isinstance(item.member, ast.Deployable) and any(
            ref.name not in known.contexts for ref in item.member.contexts
        ):
            yield item.member.name


def _distinct(found: Sequence[Found]) -> list[Found]:
    seen: set[tuple[type, str]] = set()
    kept = []
    for item in found:
        member = item.member
        if not isinstance(member, Deployed):
            continue
        key = (type(member), member.name)
        if key in seen:
            at = item.source.place(member.at)
            kind = _KINDS[type(member)]
            item.source.report(DuplicateDeclaration(at=at, kind=kind, name=member.name))
            continue
        seen.add(key)
        item.source.declare(member.at, member.name)
        kept.append(item)
    return kept


def _errors(shared: SharedSignature, signatures: Iterable[ContextSignature]) -> frozenset[str]:
    """The error records of all contexts, and of the root."""
    root = [item.name for item in shared.records if item.error]
    return frozenset((*root, *[name for item in signatures for name in item.errors]))


def _report_unmapped(
    system: deployment.System,
    signatures: list[ContextSignature],
    places: Mapping[str, NodePath],
    errors: AbstractSet[str],
    sources: Sequence[Source],
) -> None:
    known = {item.name: item for item in signatures if item.name in places}
    for context, error in check_statuses(known, errors, system.apis, system.subdomains):
        sources[0].report(UnmappedErrorStatus(at=places[context], error=error))


def _known(
    kept: Sequence[Found],
    subdomains: tuple[deployment.Subdomain, ...],
    signatures: list[ContextSignature],
    errors: AbstractSet[str],
) -> Known:
    members = [item.member for item in kept]
    return Known(
        contexts={item.name: item for item in signatures},
        storages={item.name: item.type.name if item.type else "" for item in members if isinstance(item, ast.Storage)},
        resources={item.name for item in members if isinstance(item, ast.Resource)},
        apis={item.name for item in members if isinstance(item, ast.Api)},
        channel_sources={item.name for item in members if isinstance(item, ast.ChannelSource)},
        subdomains={item.name: item.contexts for item in subdomains},
        errors=errors,
    )
