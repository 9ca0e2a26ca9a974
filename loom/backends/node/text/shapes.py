"""How Biome lays out the shapes of TypeScript that we print.

In: documents of expressions and how tightly they bind. Out: documents of statements.
Never: knowledge of a model. Kept by tests/unit/backends/node/test_format.py, which asks Biome itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from loom.emit.layout import HARD, LINE, SOFT, Doc, Either, Group, IfBroken, Indent, bracketed, join, text_of
from loom.emit.renderer import ATOM, Code

INDENT = 2
WIDTH = 100

ARROW, CONDITIONAL, COALESCE, OR, AND, EQUALITY, RELATION, SUM, PRODUCT, UNARY = range(1, 11)


class Infix(NamedTuple):
    """The document of an operator chain: where it stands decides how the rest is indented."""

    first: Doc
    rest: Doc


class Choice(NamedTuple):
    """The document of a conditional whose test is an operator chain: where it stands decides the chain's indent."""

    test: Doc
    branches: Doc


class Composed(NamedTuple):
    """The document of a call that takes a function: beside other arguments it stands on a line of its own."""

    doc: Doc


class Receiver(NamedTuple):
    """The document of a conditional that a member is taken from: what is around the whole decides how it breaks."""

    doc: Doc


def breaks_after_operator(code: Code) -> bool:
    """Whether an assignment of the code breaks after its `=`."""
    return isinstance(code.doc, Infix | Choice)


def inline(code: Code) -> Doc:
    """Where nothing around the code indents it: an argument, an operand."""
    match code.doc:
        case Infix(first=first, rest=rest):
            return Group((first, Indent(rest, INDENT)))
        case Choice():
            return Group(ungrouped(code.doc))
        case doc:
            return doc


def flush(code: Code) -> Doc:
    """Where what is around the code has indented it already."""
    return Group((Group(code.doc.test), code.doc.branches)) if isinstance(code.doc, Choice) else Group(code.doc)


def parenthesised(code: Code) -> Doc:
    return ("(", inline(code), ")")


def opened(code: Code) -> Doc:
    """In parentheses that stand on lines of their own when the inside does not fit: a test."""
    return Group(("(", Indent((SOFT, inline(code)), INDENT), SOFT, ")"))


def receiver(code: Code) -> Doc:
    """A conditional in parentheses, whose closing one stands on a line of its own when the inside does not fit."""
    return Receiver(Group(("(", ungrouped(code.doc), SOFT, ")")))


def on_its_own(doc: Doc) -> Doc:
    """What a statement or a unary operator holds: a conditional at its beginning is indented once more."""
    match doc:
        case Receiver(doc=Group(doc=(opening, inside, line, closing))):
            return Group((opening, Indent((SOFT, Group(inside)), INDENT), line, closing))
        case Group(doc=inner):
            return Group(on_its_own(inner))
        case Composed(doc=inner):
            return Composed(on_its_own(inner))
        case tuple() if type(doc) is tuple and doc:
            return (on_its_own(doc[0]), *doc[1:])
        case _:
            return doc


def negated(code: Code) -> Doc:
    """`!x`, or `!(…)` whose inside breaks as a block."""
    if not isinstance(code.doc, Infix):
        return ("!", on_its_own(code.doc) if code.binds >= UNARY else parenthesised(code))
    return ("!(", Group((Indent((SOFT, code.doc), INDENT), SOFT)), ")")


def assigned(left: str, code: Code, end: str = ";") -> Doc:
    """`left = code;`"""
    if breaks_after_operator(code):
        return (left, " =", Group(Indent((LINE, flush(code)), INDENT)), end)
    return (left, " = ", on_its_own(code.doc), end)


def member(key: str, code: Code) -> Doc:
    """`key: code` in an object literal, or just `key` when that is the code."""
    if code.doc == key:
        return key
    if breaks_after_operator(code):
        return (key, ":", Group(Indent((LINE, flush(code)), INDENT)))
    return (key, ": ", code.doc)


def returned(code: Code) -> Doc:
    if not isinstance(code.doc, Infix):
        return ("return ", on_its_own(inline(code)), ";")
    broken = Group((IfBroken("("), Indent((SOFT, code.doc), INDENT), SOFT, IfBroken(")")))
    return ("return ", broken, ";")


def choice(test: Code, then: Code, otherwise: Code) -> Code:
    """`test ? then : otherwise`; a conditional in between has parentheses on a line of its own only."""
    first: Doc = Indent(branch(then), INDENT)
    last: Doc = Indent(branch(otherwise), INDENT)
    if then.binds == CONDITIONAL:
        first = (IfBroken("", flat="("), ungrouped(then.doc), IfBroken("", flat=")"))
    if otherwise.binds == CONDITIONAL:
        last = ungrouped(otherwise.doc)
    branches = (LINE, "? ", first, LINE, ": ", last)
    tested = opened(test) if test.binds <= CONDITIONAL else branch(test)
    indented = Indent(branches, INDENT)
    is_chain = isinstance(test.doc, Infix)
    return Code(Choice(test.doc, indented) if is_chain else Group((tested, indented)), CONDITIONAL)


def branch(code: Code) -> Doc:
    return parenthesised(code) if code.binds == COALESCE else inline(code)


def ungrouped(doc: Doc) -> Doc:
    """A conditional inside another breaks when that one does."""
    match doc:
        case Choice(test=Infix(first=first, rest=rest), branches=branches):
            return (Group((first, Indent(rest, INDENT))), branches)
        case Group(doc=inner):
            return inner
        case _:
            return doc


def chain(head: Doc, links: Sequence[Doc], *, is_long: bool = False) -> Doc:
    """`head.a().b()`, one call a line when they do not fit; a single call is never broken so."""
    if len(links) <= 1:
        return (head, *links)
    line = HARD if is_long else SOFT
    return Group((head, Indent(tuple((line, link) for link in links), INDENT)))


def infix(op: str, binds: int, operands: Sequence[Doc]) -> Code:
    """`a op b op c`; a single operand is itself."""
    if len(operands) == 1:
        return Code(operands[0], ATOM)
    rest = tuple((f" {op}", LINE, operand) for operand in operands[1:])
    return Code(Infix(operands[0], Group(rest) if len(rest) == 1 else rest), binds)


def call(function: Doc, arguments: Iterable[Doc]) -> Doc:
    return (function, argument_list(list(arguments)))


def argument_list(arguments: Sequence[Doc]) -> Doc:
    """`(a, b)`, an argument a line when they do not fit or when one of several is a call that takes a function."""
    if len(arguments) > 1 and any(isinstance(argument, Composed) for argument in arguments):
        return spread_list(arguments)
    if len(arguments) == 1 and _is_literal(arguments[0]):
        return ("(", arguments[0], ")")
    if arguments and _is_literal(arguments[-1]) and _kind(arguments[-1]) != _kind(arguments[-2]):
        return _with_literal(arguments[:-1], arguments[-1])
    return bracketed("(", arguments, ")", indent=INDENT)


def _with_literal(before: Sequence[Doc], literal: Doc) -> Doc:
    """`(a, { b })`; else the literal broken beside the others, or all arguments on lines of their own."""
    assert isinstance(literal, Group) and isinstance(literal.doc, tuple)
    opening: Doc = ("(", *[(argument, ", ") for argument in before])
    beside = Either((opening, literal.doc[0]), (opening, literal.doc, ")"), spread_list([*before, literal]))
    return Group(IfBroken(beside, flat=(opening, literal, ")")))


def _kind(doc: Doc) -> Doc:
    """The bracket of a literal."""
    return doc.doc[0] if isinstance(doc, Group) and isinstance(doc.doc, tuple) and _is_literal(doc) else ""


def _is_literal(doc: Doc) -> bool:
    """A list or an object, which keeps its call beside its brackets."""
    return isinstance(doc, Group) and isinstance(doc.doc, tuple) and doc.doc[0] in ("[", "{")


def spread_list(arguments: Sequence[Doc]) -> Doc:
    rows = tuple((HARD, argument, ",") for argument in arguments)
    return ("(", Indent(rows, INDENT), HARD, ")")


def braces(opening: str, items: Sequence[Doc]) -> Doc:
    """`{ a, b }`, or one item a line."""
    if not items:
        return opening + "}"
    return Group((opening, Indent((LINE, join((",", LINE), items), IfBroken(",")), INDENT), LINE, "}"))


def listed(items: Sequence[Doc]) -> Doc:
    """`[a, b]`; several lists or objects of several members each take lines of their own."""
    if len(items) > 1 and all(_size(item) > 1 and _kind(item) == _kind(items[0]) for item in items):
        return Group(("[", Indent((HARD, join((",", HARD), items), ","), INDENT), HARD, "]"))
    return bracketed("[", items, "]", indent=INDENT)


def _size(doc: Doc) -> int:
    """How many members a literal has."""
    match doc:
        case Group(doc=(_, Indent(doc=(_, tuple() as members, _)), *_)) if _is_literal(doc):
            return (len(members) + 1) // 2
        case _:
            return 0


def arrow(parameter: str, code: Code, returns: str = "") -> Doc:
    """`(x) => code`, with a block for a body that does not fit."""
    is_wrapped = code.binds == CONDITIONAL or starts_object(code.doc)
    body: Doc = ("(", inline(code), ")") if is_wrapped else inline(code)
    return Group((f"({parameter}){returns} => ", IfBroken(braced([returned(code)]), flat=body)))


def with_arrow(function: Doc, before: Sequence[Doc], function_argument: Doc) -> Doc:
    """`f(a, (x) => body)`; else the body as a block, or all arguments on lines of their own."""
    assert isinstance(function_argument, Group) and isinstance(function_argument.doc, tuple)
    header, body = function_argument.doc
    assert isinstance(body, IfBroken)
    opening = ("(", *((argument, ", ") for argument in before), header)
    beside = Either((opening, "{"), (opening, body.broken, ")"), spread_list([*before, function_argument]))
    return (function, Group(IfBroken(beside, flat=(opening, body.flat, ")"))))


def with_object(function: Doc, before: Sequence[Doc], members: Sequence[Doc]) -> Doc:
    """`f(a, { b })`"""
    return call(function, [*before, braces("{", members)])


def hugged(opening: str, body: Doc) -> Doc:
    """`f(a, (x) => body)`, the body on a line of its own when it does not fit."""
    return Group((opening, Indent((LINE, body), INDENT), IfBroken(","), SOFT, ")"))


def mapped(function: str, parameters: str, body: Doc) -> Doc:
    """`f((x) => new Y({…}))`, whose argument and body each take lines of their own when they do not fit."""
    inner = (SOFT, f"{parameters} =>", Group(Indent((LINE, body), INDENT)), IfBroken(","))
    return Group((function, "(", Indent(inner, INDENT), SOFT, ")"))


def table(head: str, name: str, columns: Sequence[Doc]) -> Doc:
    """`head(name, {…})` with a column a line; all arguments on lines of their own when the first line is too long."""
    literal = ("{", Indent(tuple((HARD, column, ",") for column in columns), INDENT), HARD, "}")
    if len(head) + len(name) + len("(, {") > WIDTH:
        return (head, spread_list([name, literal]))
    return (head, "(", name, ", ", literal, ")")


def spread_call(function: str, arguments: Sequence[Doc]) -> Doc:
    """A call with several functions among its arguments, which always takes a line for each."""
    return (function, spread_list(arguments))


def starts_object(doc: Doc) -> bool:
    while not isinstance(doc, str):
        if isinstance(doc, Group | Indent):
            doc = doc.doc
        elif isinstance(doc, tuple) and doc:
            doc = doc[0]
        else:
            return False
    return doc.startswith("{")


def braced(body: Sequence[Doc]) -> Doc:
    """`{`, the statements, `}`."""
    return ("{", Indent(tuple((HARD, statement) for statement in body), INDENT), HARD, "}")


def block(head: Doc, body: Sequence[Doc]) -> Doc:
    """`head {`, the statements, `}`."""
    return (head, " ", braced(body))


def condition(code: Code) -> Doc:
    """`if (…)`"""
    tested = code.doc if isinstance(code.doc, Infix) else inline(code)
    return ("if (", Group((Indent((SOFT, tested), INDENT), SOFT)), ")")


def lines(docs: Iterable[Doc], indent: int) -> str:
    """Statements, one below the other, from `indent` on; the first line is not indented."""
    return text_of(join(HARD, docs), width=WIDTH, column=indent, indent=indent)


def atom(text: Doc) -> Code:
    return Code(text, ATOM)
