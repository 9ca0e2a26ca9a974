"""Changes of type, written or implied, as TypeScript.

In: Convert nodes. Out: codes; numbers of one kind become those of another, and anything becomes text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loom.backends.node.text import shapes
from loom.emit.renderer import Code, domain_of
from loom.ir import expressions as ir
from loom.ir.expressions import Domain, Expr
from loom.ir.types import OptionalType, Type

if TYPE_CHECKING:
    from loom.backends.node.code.renderer import NodeRenderer


def converted(renderer: NodeRenderer, e: ir.Convert) -> Code:
    source, target = domain_of(e.operand.type), domain_of(e.type)
    if isinstance(e.operand.type, OptionalType) and source is not target:
        return _present(renderer, e, e.operand.type.of)
    match target:
        case Domain.LONG if source is Domain.INT:
            return renderer.called("BigInt", e.operand)
        case Domain.DECIMAL | Domain.MONEY if source in (Domain.INT, Domain.LONG):
            return _decimal_of(renderer, e.operand)
        case Domain.STRING:
            return _string_of(renderer, e.operand, source)
        case _:
            return renderer.code(e.operand)


def _present(renderer: NodeRenderer, e: ir.Convert, inner: Type) -> Code:
    """A conversion of what may be absent, which then stays so."""
    present = renderer.need("src/domain/values/collections", "whenPresent")
    value = ir.Local(type=inner, name="value")
    target = e.type.of if isinstance(e.type, OptionalType) else e.type
    made = converted(renderer.at(renderer.this), ir.Convert(type=target, operand=value))
    arrow = shapes.arrow("value", made)
    return shapes.atom(shapes.call(present, [renderer.argument(e.operand), arrow]))


def _decimal_of(renderer: NodeRenderer, operand: Expr) -> Code:
    renderer.need("src/domain/values/decimals", "Decimal")
    if isinstance(operand, ir.Literal):
        return shapes.atom(f"new Decimal('{operand.text}')")
    return renderer.called("new Decimal", operand)


def _string_of(renderer: NodeRenderer, operand: Expr, source: Domain) -> Code:
    match source:
        case Domain.INT | Domain.LONG | Domain.BOOL:
            return renderer.called("String", operand)
        case Domain.DECIMAL:
            text = renderer.need("src/domain/values/decimals", "decimalText")
            return renderer.called(text, operand)
        case Domain.MONEY:
            return renderer.called(renderer.need("src/domain/values/decimals", "moneyText"), operand)
        case _:
            return renderer.code(operand)
