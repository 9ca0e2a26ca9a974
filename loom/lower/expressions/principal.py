"""`currentUser` and `permissions`: what is known of whoever asks.

In: a member of either as written. Out: a claim, or the name of a permission as a string.
Never: a permission that remains unfolded: whoever holds one that includes it holds it too.
"""

from __future__ import annotations

from loom.base import Feature, descendants, nearest
from loom.ir.expressions import Call, Claim, Expr, Fn, Literal, Logic, Logical
from loom.ir.types import BOOL, STRING
from loom.lower.mentions import below
from loom.lower.problems.access import (
    CurrentuserNotInRequestScope,
    MissingUserBlock,
    OrgpathWithoutTenancy,
    UnknownPermission,
)
from loom.lower.problems.names import UnknownMember
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.principal import TENANT_PATHS
from loom.parse import ast

PRINCIPAL = ("currentUser", "permissions")
# Bodies that also run where nobody asks: when something is loaded, or tried in a test.
_WITHOUT_REQUEST = (
    Body.PURE,
    Body.FUNCTION,
    Body.WORKFLOW_FUNCTION,
    Body.APPLY,
    Body.TEST,
    Body.CONTEXT_TEST,
    Body.SEED,
    Body.BACKFILL,
)
_FEATURES = {
    Body.FIRST_STAMP: Feature.CURRENT_USER_IN_STAMPS,
    Body.STAMP: Feature.CURRENT_USER_IN_STAMPS,
    Body.FILTER: Feature.CURRENT_USER_IN_READS,
    Body.FIND: Feature.CURRENT_USER_IN_READS,
    Body.RETRIEVAL: Feature.CURRENT_USER_IN_READS,
}
# What these read is read where they are used; where nobody is known, everybody gets what is masked.
_ELSEWHERE = (Body.MASK, Body.POLICY, Body.CRITERION, Body.CRITERION_OF_QUERY)


def claim(frame: Frame, node: ast.Member) -> Expr | None:
    """`currentUser.role`."""
    at, principal = node.target.at, frame.scope.principal
    if frame.body in _WITHOUT_REQUEST:
        return frame.fail(CurrentuserNotInRequestScope(at=frame.at(at), body=frame.body.value))
    if principal.claims is None:
        return frame.fail(MissingUserBlock(at=frame.at(at)))
    if node.name in TENANT_PATHS and principal.tenancy is None:
        return frame.fail(OrgpathWithoutTenancy(at=frame.at(node.at), name=node.name))
    if node.name not in principal.claims:
        near = nearest(node.name, principal.claims)
        return frame.fail(UnknownMember(at=frame.at(node.at), owner="currentUser", name=node.name, nearest=near))
    _use(frame, at)
    found = frame.narrowed.get(f"currentUser.{node.name}", principal.claims[node.name])
    return None if found is None else Claim(type=found, name=node.name)


def _use(frame: Frame, at: int) -> None:
    if frame.body not in _ELSEWHERE:
        frame.scope.source.use(at, _FEATURES.get(frame.body, Feature.CURRENT_USER))


def asking(frame: Frame, at: int, value: Expr) -> Expr | None:
    """`value`, which a criterion or policy stands for, unless it asks who asks where nobody does."""
    if not any(isinstance(item, Claim) for item in descendants(value)):
        return value
    if frame.body in _WITHOUT_REQUEST:
        return frame.fail(CurrentuserNotInRequestScope(at=frame.at(at), body=frame.body.value))
    _use(frame, at)
    return value


def asks_for_caller(frame: Frame, written: ast.Expression) -> bool:
    """Whether a condition reads `currentUser`, itself or through a criterion."""
    known = frame.scope.tables.predicates
    waiting, seen = [written], set[str]()
    while waiting:
        names = {item.name for item in below(waiting.pop()) if isinstance(item, ast.Name)}
        if "currentUser" in names:
            return True
        waiting += [known[name].condition for name in names - seen if name in known]
        seen |= names
    return False


def permission(frame: Frame, node: ast.Member) -> Expr | None:
    """`permissions.closeAccounts`, whose value is its name in full."""
    givers = _givers(frame, node)
    return Literal(type=STRING, text=_spelled(frame, node.name)) if givers else None


def _givers(frame: Frame, node: ast.Member) -> tuple[str, ...]:
    principal = frame.scope.principal
    givers = principal.permissions.get(node.name, ())
    if not givers:
        near = nearest(node.name, principal.permissions)
        known = (
            f"`{principal.subdomain}` declares no such one" if principal.subdomain else "its subdomain declares none"
        )
        frame.report(UnknownPermission(at=frame.at(node.at), name=node.name, where=known, nearest=near))
    return givers


def _spelled(frame: Frame, name: str) -> str:
    return f"{frame.scope.principal.subdomain.lower()}.{name}"


def is_grant(node: ast.Call) -> bool:
    """Whether `node` is `currentUser.permissions.contains(permissions.x)`."""
    match node.callee, node.arguments:
        case (
            ast.Member(target=ast.Member(target=ast.Name(name="currentUser"), name="permissions"), name="contains"),
            (ast.Argument(name="", value=ast.Member(target=ast.Name(name="permissions"))),),
        ):
            return True
        case _:
            return False


def grant(frame: Frame, node: ast.Call) -> Expr | None:
    """Whether the caller holds the permission, or one that includes it."""
    assert isinstance(node.callee, ast.Member) and isinstance(node.callee.target, ast.Member)
    asked = node.arguments[0].value
    assert isinstance(asked, ast.Member)
    held, givers = claim(frame, node.callee.target), _givers(frame, asked)
    if held is None or not givers:
        return None
    terms = tuple(
        Call(type=BOOL, fn=Fn.CONTAINS, arguments=(held, Literal(type=STRING, text=_spelled(frame, name))))
        for name in givers
    )
    return terms[0] if len(terms) == 1 else Logical(type=BOOL, op=Logic.OR, operands=terms)
