"""What requests may say: members of bodies and query parameters with their rules.

In: parameters and properties of the program. Out: InputPlans and RequestPlans.
Never: the texts of type errors (the type says which of them apply).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.base import descendants
from loom.ir import statements as ir
from loom.ir.expressions import (
    Call,
    Compare,
    Comparison,
    Domain,
    Expr,
    Field,
    FieldKind,
    Fn,
    ListLiteral,
    Literal,
    Local,
    Logic,
    Logical,
    Now,
    Null,
    This,
)
from loom.ir.members import Parameter
from loom.ir.program import Access, Check, Property
from loom.ir.types import BOOL, INT, STRING, ArrayType, OptionalType, Type
from loom.plan import names
from loom.plan.code.absence import nothing
from loom.plan.code.rewrite import rewrite
from loom.plan.database.columns import stored
from loom.plan.http import CheckPlan, InputPlan, RequestPlan
from loom.plan.wire import texts

WRITABLE = frozenset({Access.EDITABLE, Access.IMMUTABLE, Access.SECRET})
FALSE = Literal(type=BOOL, text="false")
LAST_PAGE = 1_000_000
LARGEST_PAGE = 500
PAGE_SIZE = 20

Checks = Mapping[str, tuple[CheckPlan, ...]]


def parameter_input(parameter: Parameter, checks: tuple[CheckPlan, ...] = ()) -> InputPlan:
    kind, default = stored(parameter.type), parameter.default
    is_absent = isinstance(default, Null) or (default is None and isinstance(parameter.type, OptionalType))
    return InputPlan(
        name=parameter.name,
        wire=parameter.name,
        type=kind,
        default=nothing(kind) if is_absent else default,
        checks=checks,
        is_lenient=is_absent and isinstance(kind, ArrayType),
    )


def request(parameters: Iterable[Parameter], checks: Checks) -> RequestPlan:
    return RequestPlan(inputs=tuple(parameter_input(item, checks.get(item.name, ())) for item in parameters))


def create_request(parameters: Iterable[Parameter], checks: Checks) -> RequestPlan:
    """As any request, but that a bool which nothing is said about is false."""
    return request([_lenient(parameter) for parameter in parameters], checks)


def _lenient(parameter: Parameter) -> Parameter:
    if parameter.type == BOOL and parameter.default is None:
        return parameter.model_copy(update={"default": FALSE})
    return parameter


def property_inputs(properties: Iterable[Property]) -> tuple[InputPlan, ...]:
    """The inputs of a value object, a part or a record: every field that a client may write."""
    return tuple(property_input(item) for item in properties if item.access in WRITABLE)


def property_input(property_: Property) -> InputPlan:
    parameter = Parameter(name=property_.name, type=property_.type, default=property_.default)
    return parameter_input(parameter, property_checks(property_, property_.name))


def property_checks(property_: Property, local: str) -> tuple[CheckPlan, ...]:
    """The check of a property as a rule for the input called `local`."""
    check = property_.check
    if check is None or not check.projected:
        return ()
    return (_check_plan(check, property_, local),)


def _check_plan(check: Check, property_: Property, local: str) -> CheckPlan:
    def as_local(expr: Expr) -> Expr:
        match expr:
            case Field(receiver=This(), name=property_.name, kind=FieldKind.PROPERTY, type=kind):
                return Local(type=kind, name=local)
            case _:
                return expr

    return CheckPlan(
        condition=rewrite(check.condition, as_local),
        message=texts.check(check.message, check.source),
        code=names.message_code(check.message),
    )


def assigned_checks(properties: Iterable[Property], body: tuple[ir.Statement, ...]) -> Checks:
    """Checks by parameter: of the fields to which the body assigns a parameter as it came, on every path."""
    known = {item.name: item for item in properties}
    found: dict[str, tuple[CheckPlan, ...]] = {}
    for statement in body:
        match statement:
            case ir.Assign(path=(field,), value=Local(name=name)) if field in known:
                found[name] = found.get(name, ()) + property_checks(known[field], name)
            case _:
                pass
    return found


def is_ambient(default: Expr | None) -> bool:
    """Whether only the server can know it."""
    return default is not None and any(isinstance(item, Now) for item in descendants(default))


def paging(sorts: tuple[str, ...]) -> tuple[InputPlan, ...]:
    """The query of a paged list."""
    return (
        _paging_input("page", INT, "1", _between("page", 1, LAST_PAGE)),
        _paging_input("pageSize", INT, str(PAGE_SIZE), _between("pageSize", 1, LARGEST_PAGE)),
        _paging_input("sort", STRING, "id", _one_of("sort", sorts)),
        _paging_input("dir", STRING, "asc"),
    )


def _paging_input(name: str, kind: Type, default: str, *checks: CheckPlan) -> InputPlan:
    value = Literal(type=kind, text=default)
    return InputPlan(name=name, wire=name, type=kind, default=value, checks=checks)


def _between(name: str, low: int, high: int) -> CheckPlan:
    bounds = ((Comparison.GE, low), (Comparison.LE, high))
    local = Local(type=INT, name=name)
    sides = [
        Compare(type=BOOL, op=op, domain=Domain.INT, left=local, right=Literal(type=INT, text=str(bound)))
        for op, bound in bounds
    ]
    condition = Logical(type=BOOL, op=Logic.AND, operands=tuple(sides))
    return CheckPlan(condition=condition, message=texts.between(low, high), code="")


def _one_of(name: str, choices: tuple[str, ...]) -> CheckPlan:
    items = tuple(Literal(type=STRING, text=choice) for choice in choices)
    listed = ListLiteral(type=ArrayType(of=STRING), items=items)
    condition = Call(type=BOOL, fn=Fn.CONTAINS, arguments=(listed, Local(type=STRING, name=name)))
    return CheckPlan(condition=condition, message=texts.one_of(choices), code="")
