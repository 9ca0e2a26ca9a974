"""Requests as schemas, and their values as the domain wants them.

In: RequestPlans and InputPlans. Out: texts of schemas, and of what turns their output into domain values.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.backends.node import spelling
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.types import Types, http_module, http_values
from loom.backends.node.model import Model
from loom.backends.node.spelling import joined
from loom.backends.node.text import shapes
from loom.emit.renderer import Code
from loom.ir.expressions import Domain, EnumLiteral, Literal, Null, domain_of
from loom.ir.types import ArrayType, OptionalType, PartType, Type, ValueObjectType
from loom.plan.http import CheckPlan, InputPlan, RequestPlan, RoutePlan

SCHEMAS = "src/http/schemas"


class Requests:
    """Make one per emitted file of the HTTP side."""

    def __init__(self, renderer: NodeRenderer) -> None:
        self.renderer = renderer
        self.types = Types(renderer.needs)

    @property
    def model(self) -> Model:
        return self.renderer.model

    def body(self, request: RequestPlan) -> str:
        """`schema.object({…})`"""
        members = [shapes.member(item.wire, self.member(item, self.types.schema(item.type))) for item in request.inputs]
        return shapes.call(self.schema_name("object"), [shapes.braces(members)])

    def query(self, route: RoutePlan, repository: str) -> str:
        """`z.object({…})` over query parameters; a page is sorted by what the module of the repository can sort by."""
        members = [
            shapes.member(item.wire, self.member(item, self.types.query_schema(item.type))) for item in route.query
        ]
        if route.paging:
            page_query = self.renderer.need("src/http/paging", "pageQuery")
            sortable = self.renderer.need(repository, "SORTABLE")
            members.append(f"...{page_query}({sortable})")
        return f"{self.renderer.need('zod', 'z')}.object({shapes.braces(members)})"

    def schema_name(self, name: str) -> str:
        self.renderer.need(SCHEMAS, "*")
        return f"schema.{name}"

    def member(self, item: InputPlan, schema: str) -> Code:
        self.renderer.need(SCHEMAS, "*")
        checks = [self.check(item, check) for check in item.checks]
        default = self.default(item)
        if isinstance(item.type, OptionalType):
            inner = schema.removeprefix("schema.optional(").removesuffix(")")
            return shapes.atom(f"schema.optional({''.join([inner, *checks])}){default}")
        if item.is_lenient:
            return shapes.atom(f"schema.emptyIfAbsent({''.join([schema, *checks])})")
        return shapes.atom(f"{''.join([schema, *checks])}{default}")

    def check(self, item: InputPlan, check: CheckPlan) -> str:
        name = spelling.local_name(item.name)
        code = self.renderer.at("this", {item.name: name}).code(check.condition)
        details = [f"error: {spelling.quoted(check.message)}"]
        if check.code:
            details.append(f"params: {{ code: {spelling.quoted(check.code)} }}")
        return f".refine({shapes.arrow(name, code)}, {shapes.braces(details)})"

    def default(self, item: InputPlan) -> str:
        """What absence means, where the schema does not say it is null."""
        if item.default is None or isinstance(item.default, Null):
            return ""
        value = self.renderer.at("this").code(item.default)
        is_constant = isinstance(item.default, EnumLiteral | Literal) and "new " not in shapes.text(value)
        if is_constant:
            return f".default({shapes.text(value)})"
        # A schema does not tell the type checker that texts in its default are values of an enum.
        returns = f": {self.types.text(item.default.type)}" if domain_of(item.default.type) is Domain.ENUM else ""
        return f".default({shapes.arrow('', value, returns)})"

    def converted(self, kind: Type, text: str) -> Code:
        """The domain's value for the request's value that `text` gives."""
        if not self.model.is_converted(kind):
            return shapes.atom(text)
        match kind:
            case OptionalType(of=inner):
                return shapes.infix("&&", shapes.AND, [text, shapes.text(self.converted(inner, text))])
            case ArrayType(of=inner):
                return shapes.atom(f"{text}.map({self.reader(inner)})")
            case _:
                return shapes.atom(f"{self.reader(kind)}({text})")

    def reader(self, kind: Type) -> str:
        """The function that makes a part or a value object of its request."""
        match kind:
            case ValueObjectType(ref=ref):
                return self.renderer.need(http_values(ref), joined(ref.name, "from"))
            case PartType(aggregate=aggregate, name=name):
                return self.renderer.need(http_module(aggregate), joined(name, "from"))
            case _:
                raise TypeError(f"{type(kind).__name__} is read as it is")

    def members(self, inputs: Iterable[InputPlan], subject: str) -> list[str]:
        """`name: value` for each input, converted."""
        return [shapes.member(item.name, self.converted(item.type, f"{subject}.{item.wire}")) for item in inputs]

    def argument(self, inputs: tuple[InputPlan, ...], subject: str) -> str:
        """All inputs as one object: the request itself when nothing has to be converted."""
        if not any(self.model.is_converted(item.type) for item in inputs):
            return subject
        changed = [item for item in inputs if self.model.is_converted(item.type)]
        return shapes.braces([f"...{subject}", *self.members(changed, subject)])
