"""What goes over the wire: request models with their checks, and answers as JSON.

In: inputs and members of the Plan. Out: classes and functions of modules below `app/http`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.index import Index
from loom.backends.python.text.formatting import quoted
from loom.backends.python.views import ClassView, MethodView
from loom.ir.expressions import Construct
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    IdType,
    OptionalType,
    PartType,
    RecordType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
)
from loom.plan.http import CheckPlan, InputPlan, MemberPlan, MemberSource, RequestPlan
from loom.plan.model import FieldPlan, PartPlan, RecordPlan, ValueObjectPlan

_WIRE = {
    ScalarKind.INT: "Int32",
    ScalarKind.LONG: "Int64",
    ScalarKind.DECIMAL: "DecimalNumber",
    ScalarKind.MONEY: "Money",
    ScalarKind.STRING: "Text",
    ScalarKind.BOOL: "Flag",
    ScalarKind.DATETIME: "Instant",
    ScalarKind.GUID: "Guid",
    ScalarKind.JSON: "Json",
}
_QUERY = {
    ScalarKind.INT: "QueryInt32",
    ScalarKind.LONG: "QueryInt64",
    ScalarKind.DECIMAL: "QueryDecimal",
    ScalarKind.BOOL: "QueryFlag",
}


def messages_module(ref: Ref) -> str:
    """Where the messages of an aggregate are."""
    return f"app.http.{spelling.module_name(ref.name)}_messages"


def routes_file(ref: Ref) -> str:
    """The file of an aggregate's routes, apart from that of the workflows."""
    name = spelling.module_name(ref.name)
    return f"{name}{'_aggregate' * (name == 'workflows')}_routes"


def values_module(context: str) -> str:
    """Where the JSON forms of the value objects and records of a context are."""
    return f"app.http.{spelling.module_name(context)}_values"


def json_function(name: str) -> str:
    return f"{spelling.module_name(name).rstrip('_')}_json"


def input_class(name: str) -> str:
    return f"{spelling.type_name(name).rstrip('_')}Input"


class Messages:
    """The messages of one module; `needs` collects its imports."""

    def __init__(self, index: Index, home: str) -> None:
        self.index = index
        self.home = home
        self.needs: set[str] = set()

    def named(self, module: str, name: str) -> str:
        return name if module == self.home else types.named(module, name, self.needs)

    def wire_need(self, name: str) -> str:
        self.needs.add(f"app.http.wire:{name}")
        return name

    # requests

    def wire(self, kind: Type) -> str:
        """The annotation of a request member."""
        match kind:
            case Scalar(kind=scalar):
                return self.wire_need(_WIRE[scalar])
            case OptionalType(of=inner):
                return f"{self.wire(inner)} | None"
            case ArrayType(of=inner):
                return f"list[{self.wire(inner)}]"
            case EnumType(ref=ref):
                name = types.enum(ref, self.needs)
                self.needs.update({"typing:Annotated", "pydantic:PlainValidator"})
                return f"Annotated[{name}, PlainValidator({self.wire_need('member_of')}({name}))]"
            case IdType():
                self.needs.add("typing:Annotated")
                return f"Annotated[{types.identifier(kind, self.needs)}, {self.wire_need('UuidString')}]"
            case ValueObjectType(ref=ref):
                return self.named(values_module(ref.context), input_class(ref.name))
            case PartType(aggregate=owner, name=name):
                return self.named(messages_module(owner), input_class(name))
            case _:
                raise TypeError(f"{type(kind).__name__} is no part of a request")

    def query(self, kind: Type) -> str:
        """The annotation of a query parameter."""
        match kind:
            case Scalar(kind=scalar) if scalar in _QUERY:
                self.needs.add(f"app.http.query:{_QUERY[scalar]}")
                return _QUERY[scalar]
            case OptionalType(of=inner):
                return f"{self.query(inner)} | None"
            case _:
                return self.wire(kind)

    def checked(self, annotation: str, kind: Type, checks: Iterable[CheckPlan], name: str) -> str:
        """The annotation with the author's checks behind it, for a value that is there."""
        validators = [self.check(check, name) for check in checks]
        if not validators:
            return annotation
        self.needs.update({"typing:Annotated", "pydantic:AfterValidator"})
        inner, optional = annotation, ""
        if isinstance(kind, OptionalType):
            inner, optional = annotation.removesuffix(" | None"), " | None"
        return f"Annotated[{inner}, {', '.join(validators)}]{optional}"

    def check(self, check: CheckPlan, name: str) -> str:
        condition = self.renderer().line(check.condition)
        code = f", {quoted(check.code)}" if check.code else ""
        function = self.wire_need("field_check")
        rule = f"lambda {spelling.local_name(name)}: {condition}"
        return f"AfterValidator({function}({rule}, {quoted(check.message)}{code}))"

    def renderer(self) -> PythonRenderer:
        renderer = PythonRenderer(self.index)
        renderer.needs = self.needs
        return renderer

    def request(self, name: str, plan: RequestPlan, methods: tuple[MethodView, ...] = ()) -> ClassView:
        self.wire_need("RequestModel")
        return ClassView(
            decorator="",
            head=f"{name}(RequestModel)",
            doc="",
            fields=tuple(map(self.request_field, plan.inputs)),
            methods=methods,
        )

    def request_field(self, item: InputPlan) -> str:
        field = spelling.request_name(item.name)
        annotation = self.checked(self.wire(item.type), item.type, item.checks, item.name)
        arguments = []
        if not item.required:
            arguments.append(self.default(item))
        if field != item.wire:
            arguments.append(f"validation_alias={quoted(item.wire)}")
        if not arguments:
            return f"{field}: {annotation}"
        if arguments == ["default=None"]:
            return f"{field}: {annotation} = None"
        self.needs.add("pydantic:Field")
        return f"{field}: {annotation} = Field({', '.join(arguments)})"

    def default(self, item: InputPlan) -> str:
        if item.default is None:
            return "default=None" if isinstance(item.type, OptionalType) else "default_factory=list"
        renderer = _InputRenderer(self.index, self)
        renderer.needs = self.needs
        text = renderer.line(item.default)
        is_constant = text[0] in "\"'-0123456789" or text in ("True", "False", "None")
        if is_constant:
            return f"default={text}"
        is_call = text.removesuffix("()").isidentifier() and text.endswith("()")
        return f"default_factory={text.removesuffix('()') if is_call else f'lambda: {text}'}"

    def value_input(self, plan: ValueObjectPlan) -> ClassView:
        kind = types.value_object(plan.ref, self.needs)
        made = f"{kind}.create" if plan.invariants else kind
        fields = self.made_fields(plan.fields, plan.inputs)
        method = MethodView(head=f"def value(self) -> {kind}:", body=(f"return {made}({', '.join(fields)})",))
        return self.request(input_class(plan.ref.name), plan.inputs, (method,))

    def record_input(self, plan: RecordPlan, name: str) -> ClassView:
        kind = types.record(plan.ref, self.needs)
        fields = self.made_fields(plan.fields, plan.inputs)
        method = MethodView(head=f"def value(self) -> {kind}:", body=(f"return {kind}({', '.join(fields)})",))
        return self.request(name, plan.inputs, (method,))

    def part_input(self, plan: PartPlan) -> ClassView:
        kind = types.part(plan.aggregate, plan.name, self.needs)
        identifier = types.identifier(IdType(aggregate=plan.aggregate, part=plan.name), self.needs)
        self.needs.add("app.identifiers:new_id")
        fields = [f"id={identifier}(new_id())", *self.made_fields(plan.fields, plan.inputs)]
        fields += self.made_parts(plan)
        method = MethodView(head=f"def value(self) -> {kind}:", body=(f"return {kind}({', '.join(fields)})",))
        return self.request(input_class(plan.name), plan.inputs, (method,))

    def made_fields(self, fields: Iterable[FieldPlan], inputs: RequestPlan) -> list[str]:
        """Members from the request; what a client may not send starts as its initial value."""
        sent = {item.name: item for item in inputs.inputs}
        return [
            f"{spelling.member_name(item.name)}={self.from_input(sent[item.name], 'self')}"
            if item.name in sent
            else f"{spelling.member_name(item.name)}={self.initial(item)}"
            for item in fields
        ]

    def made_parts(self, plan: PartPlan) -> Iterator[str]:
        sent = {item.name: item for item in plan.inputs.inputs}
        for item in plan.containments:
            value = self.from_input(sent[item.name], "self") if item.name in sent else "[]" if item.many else "None"
            yield f"{spelling.member_name(item.name)}={value}"

    def initial(self, item: FieldPlan) -> str:
        return "None" if item.initial is None else self.renderer().line(item.initial)

    def from_input(self, item: InputPlan, owner: str) -> str:
        """A member of a request as a value of the domain."""
        return domain_value(item.type, f"{owner}.{spelling.request_name(item.name)}")

    def json(self, kind: Type, value: str) -> str:
        """A value of the domain as JSON."""
        match kind:
            case OptionalType(of=inner):
                text = self.json(inner, value)
                absent = "[]" if isinstance(inner, ArrayType) else "None"
                return value if text == value and absent == "None" else f"{absent} if {value} is None else {text}"
            case ArrayType(of=inner):
                item = self.json(inner, "item")
                return value if item == "item" else f"[{item} for item in {value}]"
            case Scalar(kind=ScalarKind.MONEY):
                self.needs.add("app.values.decimals:money_text")
                return f"money_text({value})"
            case Scalar(kind=ScalarKind.DATETIME):
                self.needs.add("app.values.instants:instant_text")
                return f"instant_text({value})"
            case ValueObjectType() | PartType() | AggregateType() | RecordType():
                return f"{self.json_name(kind)}({value})"
            case _:
                return value

    def json_name(self, kind: ValueObjectType | PartType | AggregateType | RecordType) -> str:
        match kind:
            case ValueObjectType(ref=ref) | RecordType(ref=ref):
                return self.named(values_module(ref.context), json_function(ref.name))
            case PartType(aggregate=owner, name=name):
                return self.named(messages_module(owner), json_function(name))
            case AggregateType(ref=ref):
                return self.named(messages_module(ref), json_function(ref.name))
        assert_never(kind)

    def json_view(self, name: str, kind: str, members: Iterable[MemberPlan]) -> MethodView:
        self.needs.add("app.values.json_values:JsonValue")
        variable = spelling.local_name(name)
        entries = ", ".join(
            f"{quoted(item.wire)}: {self.json(item.type, f'{variable}.{member_name(item)}')}" for item in members
        )
        return MethodView(
            head=f"def {json_function(name)}({variable}: {kind}) -> JsonValue:", body=(f"return {{{entries}}}",)
        )


class _InputRenderer(PythonRenderer):
    """Defaults of requests: a value object is given as a client would give it, and made with the rest."""

    def __init__(self, index: Index, messages: Messages) -> None:
        super().__init__(index)
        self.messages = messages

    def constructed(self, e: Construct) -> str:
        if not isinstance(e.type, ValueObjectType):
            return super().constructed(e)
        name = self.messages.named(values_module(e.type.ref.context), input_class(e.type.ref.name))
        values = (f"{spelling.request_name(item.name)}={self.line(item.value)}" for item in e.fields)
        return f"{name}.model_construct({', '.join(values)})"


def member_name(item: MemberPlan) -> str:
    if item.source in (MemberSource.ID, MemberSource.VERSION):
        return item.source.value
    return spelling.member_name(item.name)


def domain_value(kind: Type, value: str) -> str:
    """A request value as the domain wants it: value objects, parts and records are made."""
    match kind:
        case OptionalType(of=inner):
            text = domain_value(inner, value)
            return value if text == value else f"None if {value} is None else {text}"
        case ArrayType(of=inner):
            item = domain_value(inner, "item")
            return value if item == "item" else f"[{item} for item in {value}]"
        case ValueObjectType() | PartType() | RecordType():
            return f"{value}.value()"
        case _:
            return value
