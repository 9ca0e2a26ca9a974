"""What an expression means: its type, the domain of its operators, the conversions that were implied."""

from __future__ import annotations

import pytest

from loom.base import Value
from loom.ir.expressions import (
    Arithmetics,
    Call,
    Compare,
    Conditional,
    Construct,
    Convert,
    EnumLiteral,
    Field,
    FunctionCall,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Logical,
    Negate,
    Not,
    Now,
    Null,
    This,
)
from loom.ir.statements import Let
from loom.ir.types import DATETIME, DECIMAL, INT, STRING
from loom.lower.expressions.builtin.collections import FORMS, PLAIN
from loom.lower.expressions.builtin.members import members_of
from loom.lower.problems.expressions import IntrinsicUnknown
from loom.lower.scope.relations import show
from loom.parse import parse
from tests.kit.lowering import lower_files

MODEL = """
enum DriveMode {{ Slow None }}
valueobject GeoPoint {{ latitude: decimal  label: string? }}
context DeepField {{
  aggregate RoverUnit {{
    whole: int  long: long  part: decimal  price: money  text: string  class: string?  isOn: bool
    seenAt: datetime  goneAt: datetime?  mode: DriveMode  place: GeoPoint  weight: decimal?  key: guid
    marks: int[]  prices: money[]  samples: SoilSample[]
    entity SoilSample {{ depth: int  end: string? }}
    function twice(x: int): int = x + x
    operation probe() {{ let probed = {expression}  isOn := true }}
  }}
}}
"""

CASES = {
    "whole + 1": "int:(whole + 1)[int]",
    "whole + long": "long:(long<whole> + long)[long]",
    "whole / 2": "decimal:(decimal<whole> / 2)[decimal]",
    "whole % 2": "int:(whole % 2)[int]",
    "part % 2": "decimal:(part % 2)[decimal]",
    "1 + 2 + 3": "int:(1 + 2 + 3)[int]",
    "1 + whole + part": "decimal:(decimal<(1 + whole)[int]> + part)[decimal]",
    "1 - 2 - 3": "int:((1 - 2)[int] - 3)[int]",
    "2 * price * whole": "money:(2 * price * decimal<whole>)[money]",
    "price / 3": "money:(price / 3)[money]",
    "price + 1": "money:(price + 1)[money]",
    "price > 100": "bool:(price > 100)[money]",
    "price > -1": "bool:(price > money<-1>)[money]",
    "whole == part": "bool:(decimal<whole> == part)[decimal]",
    '"n" + whole + isOn': 'string:("n" + string<whole> + string<isOn>)[string]',
    '1 + 2 + "n"': 'string:(string<(1 + 2)[int]> + "n")[string]',
    "`{text} {mode} {key}`": 'string:(text + " " + string<mode> + " " + string<key>)[string]',
    "mode == None": "bool:(mode == DriveMode.None)[enum]",
    "None == mode": "bool:(DriveMode.None == mode)[enum]",
    "DriveMode.Slow": "DriveMode:DriveMode.Slow",
    "class == null": "bool:(class == null)[null]",
    "null != class": "bool:(class != null)[null]",
    'class == "x"': 'bool:((class != null)[null] ? (class == "x")[string] : false)',
    'class != "x"': 'bool:((class != null)[null] ? (class != "x")[string] : true)',
    "goneAt == goneAt": "bool:((goneAt != null)[null] ? ((goneAt != null)[null] ? (goneAt == goneAt)[datetime] : false)"
    " : (goneAt == null)[null])",
    "key == text": "bool:(string<key> == text)[string]",
    "place == place": "bool:(place == place)[structure]",
    "seenAt + days(2)": "datetime:(seenAt + days(2))[datetime]",
    "days(2) + seenAt": "datetime:(seenAt + days(2))[datetime]",
    "seenAt - seenAt": "duration:(seenAt - seenAt)[datetime]",
    "2 * days(1) - hours(3)": "duration:((days(1) * 2)[duration] - hours(3))[duration]",
    "seenAt < now()": "bool:(seenAt < now)[datetime]",
    "isOn && !isOn || isOn": "bool:((isOn && !isOn) || isOn)",
    "class != null ? class.length : 0": "int:((class != null)[null] ? length(class) : 0)",
    "place.label != null ? place.label : text": "string:((place.label != null)[null] ? place.label : text)",
    "weight != null && class != null ? weight * class.length : 0":
    "decimal:(((weight != null)[null] && (class != null)[null]) ? (weight * decimal<length(class)>)[decimal] : 0)",
    "isOn ? whole : part": "decimal:(isOn ? decimal<whole> : part)",
    "isOn ? weight : null": "decimal?:(isOn ? weight : null)",
    "isOn ? 1 : price": "money:(isOn ? 1 : price)",
    "match { isOn => 1, whole > 2 => 2.5, else => 3 }": "decimal:(isOn ? 1 : ((whole > 2)[int] ? 2.5 : 3))",
    "-whole": "int:-whole",
    "-2147483648": "int:-2147483648",
    "2147483648": "long:2147483648",
    "[whole, 2.50]": "decimal[]:[decimal<whole>, 2.5]",
    "twice(3)": "int:twice(3)",
    "long(whole)": "long:long<whole>",
    "decimal(price)": "decimal:decimal<price>",
    'money("010.50")': "money:10.5",
    "whole.min(2)": "int:number.min(whole, 2)",
    "whole.max(part)": "decimal:number.max(decimal<whole>, part)",
    "whole.divTrunc(long)": "long:divTrunc(long<whole>, long)",
    "price.round(2)": "money:round(price, 2)",
    "part.floor()": "decimal:floor(part)",
    "text.substring(1).toUpper()": "string:toUpper(substring(text, 1))",
    "marks.count + marks.sum(m => m)": "int:(count(marks) + sum(marks, m => m))[int]",
    "marks.avg(m => m)": "decimal?:avg(marks, m => decimal<m>)",
    "prices.max(p => p)": "money?:max(prices, p => p)",
    "samples.where(s => s.end != null).map(s => s.depth).distinct":
    "int[]:distinct(map(where(samples, s => (s.end != null)[null]), s => s.depth))",
    "samples.sortBy(s => s.depth).first": "SoilSample:first(sortBy(samples, s => s.depth, false))",
    "samples.firstOrNull": "SoilSample?:firstOrNull(samples)",
    "marks.any": "bool:any(marks)",
    "isBlank(text)": "bool:(length(trim(text)) == 0)[int]",
    "clamp(whole, 0, 9.5)": "decimal:number.min(number.max(decimal<whole>, 0), 9.5)",
    "percentOf(whole, 3)": "decimal:((decimal<whole> * 100)[decimal] / 3)[decimal]",
    "isPast(seenAt)": "bool:(seenAt < now)[datetime]",
    "GeoPoint { latitude: 1 }": "GeoPoint:{latitude: 1, label: null}",
}  # fmt: skip


def printed(node: Value) -> str:  # noqa: C901 - one case a kind
    match node:
        case Literal(text=text, type=kind):
            return f'"{text}"' if show(kind) == "string" else text
        case Local(name=name):
            return name
        case Field(receiver=This(), name=name):
            return name
        case Field(receiver=receiver, name=name):
            return f"{printed(receiver)}.{name}"
        case EnumLiteral(type=kind, value=value):
            return f"{show(kind)}.{value}"
        case Null():
            return "null"
        case Now():
            return "now"
        case Convert(type=kind, operand=operand):
            return f"{show(kind)}<{printed(operand)}>"
        case Call(fn=fn, arguments=arguments):
            return f"{fn.value}({', '.join(map(printed, arguments))})"
        case Lambda(parameter=parameter, body=body):
            return f"{parameter} => {printed(body)}"
        case _:
            return compound(node)


def compound(node: Value) -> str:  # noqa: C901 - one case a kind
    match node:
        case Arithmetics(op=op, domain=domain, operands=operands):
            return f"({f' {op.value} '.join(map(printed, operands))})[{domain.value}]"
        case Logical(op=op, operands=operands):
            return f"({f' {op.value} '.join(map(printed, operands))})"
        case Compare(op=op, domain=domain, left=left, right=right):
            return f"({printed(left)} {op.value} {printed(right)})[{domain.value}]"
        case Not(operand=operand):
            return f"!{printed(operand)}"
        case Negate(operand=operand):
            return f"-{printed(operand)}"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"({printed(condition)} ? {printed(then)} : {printed(otherwise)})"
        case ListLiteral(items=items):
            return f"[{', '.join(map(printed, items))}]"
        case FunctionCall(name=name, arguments=arguments):
            return f"{name}({', '.join(map(printed, arguments))})"
        case Construct(fields=fields):
            return "{" + ", ".join(f"{item.name}: {printed(item.value)}" for item in fields) + "}"
    raise AssertionError(type(node).__name__)


@pytest.mark.parametrize("expression", CASES)
def test_meaning(expression: str) -> None:
    text = MODEL.format(expression=expression)
    result = parse("model.ddd", text.encode())
    model = lower_files({"model.ddd": result.ast})
    assert [problem.text() for problem in (*result.diagnostics, *model.diagnostics())] == []
    operation = model.context("DeepField").context.aggregates[0].operations[0]
    statement = operation.body[0]
    assert isinstance(statement, Let)
    value = statement.value
    assert f"{show(value.type)}:{printed(value)}" == CASES[expression]


def test_manual_page_names_every_builtin() -> None:
    page = str(IntrinsicUnknown.__doc__)
    forms = {item.form for type_ in (STRING, INT, DECIMAL, DATETIME) for item in members_of(type_).values()}
    assert [form for form in sorted({"length", *forms, *PLAIN, *FORMS.values()}) if form not in page] == []
