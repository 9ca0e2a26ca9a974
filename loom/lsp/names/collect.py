"""The declarations of parsed files, before any name in them is looked up.

In: syntax trees by file. Out: a `Root`.
Never: a body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.lsp.names.declared import Declared, Home, Root, Site
from loom.parse import ast

OTHERS: dict[type[object], str] = {
    ast.Storage: "storage", ast.Resource: "resource", ast.Api: "api", ast.Deployable: "deployable",
    ast.EndToEndTest: "test", ast.ChannelSource: "channelSource", ast.TimerSource: "timerSource",
    ast.Requirement: "requirement", ast.Solution: "solution", ast.TestCase: "testCase", ast.Migration: "migration",
}  # fmt: skip
_TYPES = {
    ast.Enum: "enum", ast.ValueObject: "valueobject", ast.Aggregate: "aggregate", ast.Event: "event",
    ast.Payload: "payload", ast.Repository: "repository", ast.Workflow: "workflow", ast.EntityPart: "entity",
    ast.PayloadUnion: "payload", ast.DomainService: "service", ast.Projection: "projection",
    ast.Handler: "handler", ast.Channel: "channel", ast.Criterion: "criterion", ast.Retrieval: "retrieval",
    ast.PolicyFunction: "policy", ast.Capability: "capability",
}  # fmt: skip
_MEMBERS: dict[type[object], str] = {
    ast.Property: "property", ast.Containment: "containment", ast.Derived: "derived", ast.Function: "function",
    ast.Operation: "operation", ast.Find: "find", ast.Create: "create", ast.WorkflowCreate: "create",
    ast.ServiceOperation: "operation", ast.Destroy: "destroy", ast.EntityPart: "entity", ast.EnumValue: "value",
    ast.Test: "test", ast.SelectItem: "select",
}  # fmt: skip

_TypeNode = (
    ast.Enum
    | ast.ValueObject
    | ast.Aggregate
    | ast.Event
    | ast.Payload
    | ast.PayloadUnion
    | ast.DomainService
    | ast.Repository
    | ast.Workflow
    | ast.EntityPart
    | ast.Projection
    | ast.Handler
    | ast.Channel
    | ast.Criterion
    | ast.Retrieval
    | ast.PolicyFunction
    | ast.Capability
)


def collect(files: Mapping[str, ast.File]) -> Root:
    root = Root()
    for file, tree in files.items():
        site = Site(file, ast.SYSTEM_CHUNK)
        root.files[file] = _outside(root, site, tree.members)
    return root


def _outside(  # noqa: C901 - one case a kind
    root: Root, site: Site, members: Iterable[object]
) -> list[Declared]:
    found: list[Declared] = []
    for node in members:
        match node:
            case ast.System() | ast.Subdomain():
                made = _holder(root, site, node)
            case ast.User() | ast.Permissions():
                made = _named(node, site)
                root.others.setdefault(made.kind, {}).setdefault(made.name, made)
            case ast.Context():
                made = _context(root, Site(site.file, node.chunk), node)
            case ast.Function():
                made = _member("function", node, site, None, None)
                root.functions.setdefault(node.name, made)
            case ast.Enum() | ast.ValueObject() | ast.Payload() | ast.PayloadUnion():
                made = _type(node, site, None)
                root.types.setdefault(node.name, made)
            case ast.Capability():
                made = _type(node, site, None)
                root.others.setdefault("capability", {}).setdefault(node.name, made)
            case _ if type(node) in OTHERS:
                kind = OTHERS[type(node)]
                made = Declared(kind, getattr(node, "name", ""), site, getattr(node, "at", 0))
                root.others.setdefault(kind, {}).setdefault(made.name, made)
            case _:
                continue
        made.last = max(made.last, made.at, _last(node) if site is made.site else 0)
        found.append(made)
    return found


def _holder(root: Root, site: Site, node: ast.System | ast.Subdomain) -> Declared:
    """A system or subdomain with everything in it; what may be permitted is known in all of its contexts."""
    kind = "system" if isinstance(node, ast.System) else "subdomain"
    made = Declared(kind, node.name, site, node.at)
    root.others.setdefault(kind, {}).setdefault(node.name, made)
    for inner in _outside(root, site, node.members):
        made.members.setdefault(f"{inner.kind} {inner.name}", inner)
        made.last = max(made.last, inner.last)
    for inner in made.members.values():
        if inner.kind == "context":
            root.homes[inner.name].permissions = made.members.get("permissions permissions")
    return made


def _named(node: ast.User | ast.Permissions, site: Site) -> Declared:
    """What bodies call by one name, and read members of: claims, permissions."""
    if isinstance(node, ast.Permissions):
        made = Declared("permissions", "permissions", site, node.at)
        made.members = {item.name: Declared("permission", item.name, site, item.at) for item in node.entries}
        return made
    made = Declared("user", "currentUser", site, node.at)
    for claim in node.claims:
        made.members[claim.name] = Declared("claim", claim.name, site, claim.at, parent=made, type=claim.type)
    return made


def _context(root: Root, site: Site, node: ast.Context) -> Declared:
    made = Declared("context", node.name, site, node.at, last=_last(node))
    home = root.homes.setdefault(node.name, Home(made, root))
    for member in node.members:
        if isinstance(member, _TypeNode):
            declared = _type(member, site, home)
            declared.parent = made
            made.members.setdefault(declared.name, declared)
            home.types.setdefault(declared.name, declared)
            for inner in declared.members.values():
                if inner.kind == "entity":
                    home.types.setdefault(inner.name, inner)
    return made


def _type(node: _TypeNode, site: Site, home: Home | None) -> Declared:
    made = Declared(_TYPES[type(node)], node.name, site, node.at, home, last=_last(node))
    made.type = _of(node)
    made.parameters = tuple(parameter(item, site, home) for item in getattr(node, "parameters", ()))
    for member in _members(node):
        if isinstance(member, ast.EntityPart):
            inner = _type(member, site, home)
            inner.parent = made
        elif type(member) in _MEMBERS:
            inner = _member(_MEMBERS[type(member)], member, site, home, made)
        else:
            continue
        made.members.setdefault(inner.name or inner.kind, inner)
    return made


def _of(node: _TypeNode) -> ast.TypeRef | None:
    """What a repository, a criterion or a retrieval is of, and what comes out of a handler or a policy."""
    match node:
        case ast.Repository(aggregate=aggregate):
            return ast.TypeRef(aggregate.at, aggregate.name)
        case ast.Criterion(of=of) | ast.Retrieval(of=of):
            return of
        case ast.Handler(returns=returns) | ast.PolicyFunction(returns=returns):
            return returns
        case _:
            return None


def _members(node: _TypeNode) -> Iterable[object]:
    match node:
        case ast.Enum():
            return node.values
        case ast.Event() | ast.Payload():
            return node.fields
        case ast.Repository():
            return node.finds
        case ast.Projection():
            return (*node.fields, *node.selects)
        case _:
            return getattr(node, "members", ())


def _member(kind: str, node: object, site: Site, home: Home | None, parent: Declared | None) -> Declared:
    name, at = getattr(node, "name", ""), getattr(node, "at", 0)
    made = Declared(kind, name, site, at, home, parent, last=_last(node))
    match node:
        case ast.Property():
            made.type, made.access = node.type, "" if node.access == "editable" else node.access.value
        case ast.Containment() | ast.Derived():
            made.type = node.type
        case ast.Function() | ast.Operation() | ast.Find() | ast.WorkflowCreate() | ast.ServiceOperation():
            made.type = node.returns
        case _:
            pass
    made.parameters = tuple(parameter(item, site, home) for item in getattr(node, "parameters", ()))
    return made


def parameter(node: ast.Parameter, site: Site, home: Home | None) -> Declared:
    return Declared("parameter", node.name, site, node.at, home, type=node.type)


def _last(node: object) -> int:
    """The greatest token number in a subtree, contexts aside, whose numbers are their own."""
    found = getattr(node, "at", 0)
    waiting: list[object] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting += item
        elif hasattr(item, "at") and (item is node or not isinstance(item, ast.Context)):
            found = max(found, item.at)
            waiting += [getattr(item, name) for name in getattr(item, "__slots__", ())]
    return int(found)
