"""What goes over the wire: request models with their checks, and answers as JSON.

In: inputs and members of the Plan. Out: classes and functions of modules below `app/http`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer, new_id
from loom.backends.python.text import shapes
from loom.backends.python.text.blocks import Class, Function, class_head
from loom.backends.python.text.patterns import each, filled, or_none
from loom.backends.python.text.shapes import Brackets, Call, behind, keyword, quoted
from loom.backends.python.text.statements import Signature, Statement
from loom.emit.index import ServiceIndex
from loom.ir.expressions import Construct, Expr, ListLiteral
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
from loom.plan.model import PartPlan, RecordPlan, StatePlan, ValueObjectPlan

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

    def __init__(self, index: ServiceIndex, home: str) -> None:
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
                return types.optional(self.wire(inner))
            case ArrayType(of=inner):
                return types.listed(self.wire(inner))
            case EnumType(ref=ref):
                name = types.enum(ref, self.needs)
                self.needs.update({"typing:Annotated", "pydantic:PlainValidator"})
                self.wire_need("member_of")
                return types.annotated(name, filled("PlainValidator(member_of({}))", name))
            case IdType():
                self.needs.add("typing:Annotated")
                return types.annotated(types.identifier(kind, self.needs), self.wire_need("UuidString"))
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
                return types.optional(self.query(inner))
            case _:
                return self.wire(kind)

    def checked(self, item: InputPlan, spelled: Callable[[Type], str]) -> str:
        """The annotation of `item` with the author's checks behind it, for a value that is there."""
        validators = [self.check(check, item.name) for check in item.checks]
        if item.is_lenient:
            self.needs.add("pydantic:WrapValidator")
            validators.append(filled("WrapValidator({})", self.wire_need("empty_if_null")))
        if not validators:
            return spelled(item.type)
        self.needs.add("typing:Annotated")
        if isinstance(item.type, OptionalType):
            return types.optional(types.annotated(spelled(item.type.of), *validators))
        return types.annotated(spelled(item.type), *validators)

    def check(self, check: CheckPlan, name: str) -> str:
        self.needs.add("pydantic:AfterValidator")
        rule = shapes.Lambda(f"lambda {spelling.local_name(name)}: ", self.renderer().line(check.condition))
        texts = [quoted(check.message), *([quoted(check.code)] if check.code else [])]
        return filled("AfterValidator({})", Call(self.wire_need("field_check"), [rule, *texts]))

    def renderer(self) -> PythonRenderer:
        return PythonRenderer(self.index, self.needs)

    def request(self, name: str, plan: RequestPlan, methods: tuple[Function, ...] = ()) -> Class:
        self.wire_need("RequestModel")
        fields = tuple(map(self.request_field, plan.inputs))
        return Class(head=class_head(name, "RequestModel"), fields=fields, methods=methods)

    def request_field(self, item: InputPlan) -> str:
        field = spelling.request_name(item.name)
        annotation = self.checked(item, self.wire)
        arguments = [] if item.default is None else [self.default(item.default)]
        if field != item.wire:
            arguments.append(f"validation_alias={quoted(item.wire)}")
        if not arguments:
            return Statement(f"{field}: ", annotation)
        if arguments == ["default=None"]:
            return Statement(f"{field}: ", annotation, " = ", "None")
        self.needs.add("pydantic:Field")
        return Statement(f"{field}: ", annotation, " = ", Call("Field", arguments))

    def default(self, value: Expr) -> str:
        if value == ListLiteral(type=value.type, items=()):
            return "default_factory=list"
        text = _InputRenderer(self).line(value)
        is_constant = text[0] in "\"'-0123456789" or text in ("True", "False", "None")
        if is_constant:
            return behind("default=", text)
        is_call = text.removesuffix("()").isidentifier() and text.endswith("()")
        return behind("default_factory=", text.removesuffix("()") if is_call else shapes.Lambda("lambda: ", text))

    def value_input(self, plan: ValueObjectPlan) -> Class:
        kind = types.value_object(plan.ref, self.needs)
        made = Call(f"{kind}.create" if plan.invariants else kind, self.made(plan.fields, plan.inputs))
        return self.request(input_class(plan.ref.name), plan.inputs, (value_method(kind, made),))

    def record_input(self, plan: RecordPlan, name: str) -> Class:
        kind = types.record(plan.ref, self.needs)
        made = Call(kind, self.made(plan.fields, plan.inputs))
        return self.request(name, plan.inputs, (value_method(kind, made),))

    def part_input(self, plan: PartPlan) -> Class:
        kind = types.part(plan.aggregate, plan.name, self.needs)
        own_id = behind("id=", new_id(IdType(aggregate=plan.aggregate, part=plan.name), self.needs))
        made = Call(kind, [own_id, *self.made((*plan.fields, *plan.containments), plan.inputs)])
        return self.request(input_class(plan.name), plan.inputs, (value_method(kind, made),))

    def made(self, items: Iterable[StatePlan], inputs: RequestPlan) -> Iterator[str]:
        """Members from the request; what a client may not send starts as its initial value."""
        sent = {item.name: item for item in inputs.inputs}
        for item in items:
            value = from_input(sent[item.name], "self") if item.name in sent else self.initial(item)
            yield keyword(spelling.member_name(item.name), value)

    def initial(self, item: StatePlan) -> str:
        return "None" if item.initial is None else self.renderer().line(item.initial)

    def json(self, kind: Type, value: str) -> str:
        """A value of the domain as JSON."""
        match kind:
            case OptionalType(of=inner):
                text = self.json(inner, value)
                if isinstance(inner, ArrayType):
                    return filled("[] if {} is None else {}", value, text)
                return value if text == value else or_none(value, text)
            case ArrayType(of=inner):
                return each(self.json(inner, "item"), value)
            case Scalar(kind=ScalarKind.MONEY):
                self.needs.add("app.values.decimals:money_text")
                return filled("money_text({})", value)
            case Scalar(kind=ScalarKind.DATETIME):
                self.needs.add("app.values.instants:instant_text")
                return filled("instant_text({})", value)
            case ValueObjectType() | PartType() | AggregateType() | RecordType():
                return Call(self.json_name(kind), [value])
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

    def json_view(self, name: str, kind: str, members: Iterable[MemberPlan]) -> Function:
        self.needs.add("app.values.json_values:JsonValue")
        variable = spelling.local_name(name)
        entries = [
            behind(f"{quoted(item.wire)}: ", self.json(item.type, f"{variable}.{member_name(item)}"))
            for item in members
        ]
        head = Signature(f"def {json_function(name)}", [f"{variable}: {kind}"], "JsonValue")
        return Function(head=head, body=(Statement("return ", Brackets("", entries, "{}")),))


class _InputRenderer(PythonRenderer):
    """Defaults of requests: a value object is given as a client would give it, and made with the rest."""

    def __init__(self, messages: Messages) -> None:
        super().__init__(messages.index, messages.needs)
        self.messages = messages

    def constructed(self, e: Construct) -> str:
        if not isinstance(e.type, ValueObjectType):
            return super().constructed(e)
        name = self.messages.named(values_module(e.type.ref.context), input_class(e.type.ref.name))
        return Call(f"{name}.model_construct", self.members(e.fields, spelling.request_name))


def member_name(item: MemberPlan) -> str:
    if item.source in (MemberSource.ID, MemberSource.VERSION):
        return item.source.value
    return spelling.member_name(item.name)


def domain_value(kind: Type, value: str) -> str:
    """A request value as the domain wants it: value objects, parts and records are made."""
    match kind:
        case OptionalType(of=inner):
            text = domain_value(inner, value)
            return value if text == value else or_none(value, text)
        case ArrayType(of=inner):
            return each(domain_value(inner, "item"), value)
        case ValueObjectType() | PartType() | RecordType():
            return Call(f"{value}.value", [])
        case _:
            return value


def from_input(item: InputPlan, owner: str) -> str:
    """A member of a request as a value of the domain."""
    return domain_value(item.type, f"{owner}.{spelling.request_name(item.name)}")


def value_method(kind: str, made: str) -> Function:
    """The method of a request model that makes the value of the domain."""
    return Function(head=Signature("def value", ["self"], kind), body=(Statement("return ", made),))
