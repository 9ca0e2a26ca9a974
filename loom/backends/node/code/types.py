"""Types of the model in TypeScript: as types, as request schemas, as database columns, as answers.

In: IR types. Out: texts and documents; what they name goes into `needs` (types as `type module:name`).
Never: a decision about columns or wire names (the Plan has them).
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.backends.node import spelling
from loom.backends.node.needs import Needs
from loom.backends.node.spelling import domain_module, joined, type_name, values_module
from loom.backends.node.text.shapes import AND, atom, infix
from loom.emit.renderer import Code
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    EnvelopeType,
    FileType,
    IdType,
    NothingType,
    OptionalType,
    OptionType,
    PageType,
    PartType,
    RecordType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    UnionType,
    ValueObjectType,
)
from loom.plan.unplanned import unplanned

IDS = "src/domain/ids"
COLUMNS = "src/db/columns"
PG = "drizzle-orm/pg-core"

SCALARS: Mapping[ScalarKind, str] = {
    ScalarKind.INT: "number",
    ScalarKind.LONG: "bigint",
    ScalarKind.DECIMAL: "Decimal",
    ScalarKind.MONEY: "Decimal",
    ScalarKind.STRING: "string",
    ScalarKind.BOOL: "boolean",
    ScalarKind.DATETIME: "Date",
    ScalarKind.GUID: "string",
    ScalarKind.JSON: "unknown",
    ScalarKind.DURATION: "number",
}
SCHEMAS: Mapping[ScalarKind, str] = {
    ScalarKind.INT: "int32",
    ScalarKind.LONG: "int64",
    ScalarKind.DECIMAL: "decimal",
    ScalarKind.MONEY: "money",
    ScalarKind.STRING: "string",
    ScalarKind.BOOL: "boolean",
    ScalarKind.DATETIME: "datetime",
    ScalarKind.GUID: "guid",
    ScalarKind.JSON: "json",
}
WRITERS: Mapping[ScalarKind, tuple[str, str]] = {
    ScalarKind.DECIMAL: ("src/json", "decimalNumber"),
    ScalarKind.MONEY: ("src/domain/values/decimals", "moneyText"),
    ScalarKind.DATETIME: ("src/domain/values/instants", "instantText"),
}
_COLUMNS: Mapping[ScalarKind, tuple[str, str, str]] = {
    ScalarKind.INT: (PG, "integer", ""),
    ScalarKind.LONG: (PG, "bigint", ", { mode: 'bigint' }"),
    ScalarKind.DECIMAL: (COLUMNS, "decimal", ""),
    ScalarKind.MONEY: (COLUMNS, "money", ""),
    ScalarKind.STRING: (PG, "text", ""),
    ScalarKind.BOOL: (PG, "boolean", ""),
    ScalarKind.DATETIME: (COLUMNS, "instant", ""),
    ScalarKind.GUID: (PG, "uuid", ""),
    ScalarKind.JSON: (COLUMNS, "json", ""),
}


def http_values(ref: Ref) -> str:
    """The module that reads and writes the enums and value objects of a context."""
    return f"src/http/values/{spelling.context_folder(ref)}"


def http_module(aggregate: Ref) -> str:
    return f"src/http/{spelling.aggregate_file(aggregate)}"


class Types:
    """Make one per emitted file; it shares `needs` with the renderers of that file."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs

    def value(self, module: str, name: str) -> str:
        return self.needs.value(module, name)

    def erased(self, module: str, name: str) -> str:
        return self.needs.erased(module, name)

    def identifier(self, aggregate: Ref, part: str = "") -> str:
        """The type of an id."""
        return self.erased(IDS, self.needs.ids[IdType(aggregate=aggregate, part=part)])

    def text(self, kind: Type) -> str:
        """The TypeScript type."""
        match kind:
            case Scalar(kind=scalar):
                name = SCALARS[scalar]
                return self.erased("src/domain/values/decimals", name) if name == "Decimal" else name
            case OptionalType(of=inner):
                return f"{self.text(inner)} | null"
            case ArrayType(of=inner) | PageType(of=inner):
                element = self.text(inner)
                return f"({element})[]" if " " in element else f"{element}[]"
            case _:
                return self.named(kind)

    def named(self, kind: Type) -> str:
        match kind:
            case EnumType(ref=ref) | ValueObjectType(ref=ref) | RecordType(ref=ref):
                return self.erased(values_module(ref), type_name(ref.name))
            case PartType(aggregate=aggregate, name=name):
                return self.erased(domain_module(aggregate), type_name(name))
            case AggregateType(ref=ref):
                return self.erased(domain_module(ref), type_name(ref.name))
            case IdType(aggregate=aggregate, part=part):
                return self.identifier(aggregate, part)
            case NothingType():
                return "void"
            case FileType() | OptionType() | EnvelopeType() | UnionType():
                unplanned(kind)
            case _:
                return "unknown"

    def schema(self, kind: Type) -> str:
        """The schema that reads the type from a request."""
        match kind:
            case Scalar(kind=scalar):
                return f"schema.{SCHEMAS[scalar]}"
            case OptionalType(of=inner):
                return f"schema.optional({self.schema(inner)})"
            case ArrayType(of=inner):
                return f"schema.arrayOf({self.schema(inner)})"
            case EnumType(ref=ref) | ValueObjectType(ref=ref):
                return self.value(http_values(ref), f"{type_name(ref.name)}Schema")
            case PartType(aggregate=aggregate, name=name):
                return self.value(http_module(aggregate), f"{type_name(name)}Schema")
            case IdType():
                return f"schema.id<{self.text(kind)}>()"
            case _:
                raise TypeError(f"a request cannot hold a {type(kind).__name__}")

    def query_schema(self, kind: Type) -> str:
        """The schema that reads the type from a query parameter."""
        match kind:
            case OptionalType(of=inner):
                return f"schema.optional({self.query_schema(inner)})"
            case Scalar(kind=ScalarKind.INT | ScalarKind.LONG | ScalarKind.DECIMAL):
                return f"schema.fromText({self.schema(kind)})"
            case Scalar(kind=ScalarKind.BOOL):
                return "schema.flagFromText()"
            case _:
                return self.schema(kind)

    def writer(self, kind: Type) -> str:
        """The function that makes the wire form, or nothing when the value is its own wire form."""
        match kind:
            case Scalar(kind=scalar) if scalar in WRITERS:
                return self.value(*WRITERS[scalar])
            case ValueObjectType(ref=ref) | RecordType(ref=ref):
                return self.value(http_values(ref), joined(ref.name, "wire"))
            case PartType(aggregate=aggregate, name=name):
                return self.value(http_module(aggregate), joined(name, "wire"))
            case AggregateType(ref=ref):
                return self.value(http_module(ref), joined(ref.name, "wire"))
            case _:
                return ""

    def written(self, kind: Type, text: str) -> Code:
        """The wire form of the value that `text` gives."""
        match kind:
            case OptionalType(of=inner) if writer := self.writer(inner):
                return infix("&&", AND, [text, f"{writer}({text})"])
            case ArrayType(of=inner) if writer := self.writer(inner):
                return atom(f"{text}.map({writer})")
            case _ if writer := self.writer(kind):
                return atom(f"{writer}({text})")
            case _:
                return atom(text)

    def column(self, name: str, kind: Type) -> str:
        """The column builder, without its nullability."""
        match kind:
            case Scalar(kind=scalar):
                module, function, options = _COLUMNS[scalar]
                return f"{self.value(module, function)}({spelling.quoted(name)}{options})"
            case ArrayType(of=inner):
                bare_column, _, _ = self.column(name, inner).partition(".$type<")
                typed = isinstance(inner, EnumType | IdType)
                return f"{bare_column}.array()" + (f".$type<{self.text(kind)}>()" if typed else "")
            case IdType():
                return f"{self.value(PG, 'uuid')}({spelling.quoted(name)}).$type<{self.text(kind)}>()"
            case EnumType():
                return f"{self.value(PG, 'text')}({spelling.quoted(name)}).$type<{self.text(kind)}>()"
            case _:
                raise TypeError(f"a column cannot hold a {type(kind).__name__}")
