"""Lays out statements that are too long for a line as `ruff format` would.

In: Python text with one statement a line, however long. Out: the same text, no line longer than it must be.
Never: a change to a line that fits, or to a line that is no whole statement (inside a text, say).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from loom.backends.python.text.operators import binding, can_stay_bare, chain_links, operator_chain
from loom.emit.layout import HARD, LINE, SOFT, Doc, Group, IfBroken, Indent, columns, join, text_of

WIDTH = 100
STEP = 4

ValueDoc = Callable[[ast.expr], Doc]


def formatted(text: str) -> str:
    """`text` with its long lines broken."""
    return "\n".join(line if columns(line) <= WIDTH else _broken(line) for line in text.split("\n"))


def _broken(line: str) -> str:
    source = line.lstrip(" ")
    indent = len(line) - len(source)
    bare = _printed(source, indent, _bare_value)
    if bare is None:
        return line
    if columns(bare.split("\n", 1)[0]) <= WIDTH:
        return bare
    wrapped = _printed(source, indent, _wrapped_value) or line
    lines = wrapped.split("\n")
    if len(lines) == 3 and all(columns(part) <= WIDTH for part in lines):
        return wrapped
    return _printed(source, indent, _operators_value) or line


def _printed(source: str, indent: int, value: ValueDoc) -> str | None:
    doc = _element(source, value) if source.endswith(",") else _statement(source, value)
    return None if doc is None else " " * indent + text_of(doc, width=WIDTH, column=indent, indent=indent)


def _element(source: str, value: ValueDoc) -> Doc | None:
    """The document of one of several arguments or elements, each on a line of its own."""
    doc = _statement(source.removesuffix(","), value)
    return None if doc is None else (doc, ",")


def _statement(source: str, value: ValueDoc) -> Doc | None:
    """The document of one statement, or of the head of a compound one; None when it is neither."""
    if source.startswith("@"):
        return _decorator(source)
    if source.startswith('"""'):
        return None
    keyword = source.split(" ", 1)[0]
    complete = f"{source.removeprefix('el')} pass" if keyword in _HEADS else source
    try:
        (node,) = ast.parse(complete).body
    except (SyntaxError, ValueError):
        return None
    return _simple(node, value) or _compound(node, value)


_HEADS = frozenset({"if", "elif", "for", "def", "class", "async"})


def _decorator(source: str) -> Doc | None:
    try:
        node = ast.parse(source[1:], mode="eval").body
    except SyntaxError:
        return None
    return ("@", expression(node))


def _simple(node: ast.stmt, doc_of: ValueDoc) -> Doc | None:
    match node:
        case ast.Expr(value=value):
            return _bare_value(value)
        case ast.Return(value=ast.expr() as value):
            return ("return ", doc_of(value))
        case ast.Assign(targets=[target], value=value):
            return (_assigned(target), " = ", doc_of(value))
        case ast.AnnAssign(target=target, annotation=annotation, value=value):
            given: Doc = () if value is None else (" = ", doc_of(value))
            return (expression(target), ": ", doc_of(annotation), given)
        case ast.Raise(exc=ast.expr() as error, cause=cause):
            reason: Doc = () if cause is None else (" from ", expression(cause))
            return ("raise ", doc_of(error), reason)
        case ast.Assert(test=test):
            return ("assert ", doc_of(test))
        case ast.ImportFrom(module=str() as module, names=names):
            return (f"from {module} import ", _one_a_line("(", [name.name for name in names], ")", bare=True))
    return None


def _compound(node: ast.stmt, doc_of: ValueDoc) -> Doc | None:
    match node:
        case ast.If(test=test):
            return ("if ", doc_of(test), ":")
        case ast.For(target=target, iter=over):
            return ("for ", _target(target), " in ", doc_of(over), ":")
        case ast.AsyncWith(items=[ast.withitem(context_expr=value, optional_vars=name)]):
            bound: Doc = () if name is None else (" as ", expression(name))
            return ("async with ", expression(value), bound, ":")
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _signature(node)
        case ast.ClassDef(name=str() as class_name, bases=bases):
            return (f"class {class_name}", _arguments("(", list(map(expression, bases)), ")"), ":")
    return None


def _assigned(node: ast.expr) -> Doc:
    """The same, in parentheses where even the beginning of the value does not fit beside it."""
    if not isinstance(node, ast.Tuple):
        return expression(node)
    names = (SOFT, join((",", LINE), map(expression, node.elts)), IfBroken(","))
    return Group((IfBroken("("), Indent(names, STEP), SOFT, IfBroken(")")))


def _target(node: ast.expr) -> Doc:
    """What is assigned to: several names need no parentheses."""
    if isinstance(node, ast.Tuple):
        return join(", ", map(expression, node.elts))
    return expression(node)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Doc:
    keyword = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
    returns: Doc = () if node.returns is None else _returned(node.returns, STEP * _is_method(node))
    parameters = _parameters(node.args)
    if returns and not isinstance(returns, str):
        inside = Group((join((",", LINE), parameters), IfBroken(",")))
        return (keyword, node.name, "(", Indent((HARD, inside), STEP), HARD, ")", returns, ":")
    listed = _one_a_line if len(parameters) == 1 else _arguments
    return (keyword, node.name, listed("(", parameters, ")"), returns, ":")


def _is_method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(node.args.args) and node.args.args[0].arg in ("self", "cls")


def _returned(node: ast.expr, indent: int) -> Doc:
    """What a function returns: it breaks only when it is too long for the last line of the parameters."""
    text = f" -> {ast.unparse(node)}"
    if indent + columns(f"){text}:") <= WIDTH:
        return text
    match node:
        case ast.Subscript(value=value, slice=ast.Tuple(elts=items)):
            return (" -> ", expression(value), _arguments("[", list(map(expression, items)), "]"))
    return (" -> ", expression(node))


def _parameters(arguments: ast.arguments) -> list[Doc]:
    defaults = [*[None] * (len(arguments.args) - len(arguments.defaults)), *arguments.defaults]
    docs = [_parameter(*pair) for pair in zip(arguments.args, defaults, strict=True)]
    if arguments.kwonlyargs:
        docs.append("*")
    docs += [_parameter(*pair) for pair in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return docs


def _parameter(argument: ast.arg, default: ast.expr | None) -> Doc:
    name: Doc = argument.arg
    if argument.annotation is not None:
        name = (name, ": ", expression(argument.annotation))
    if default is None:
        return name
    return (name, " = " if argument.annotation is not None else "=", expression(default))


def _bare_value(node: ast.expr) -> Doc:
    """A value that ends a statement and breaks in its last bracket, when the formatter prefers that."""
    inner = node.value if isinstance(node, ast.Await) else node
    if chain_links(inner) is not None:
        return _parenthesized(expression(node))
    if binding(inner) is None:
        return expression(node)
    return expression(node, breaks=False) if can_stay_bare(inner) else _parenthesized(expression(node))


def _wrapped_value(node: ast.expr) -> Doc:
    """The same, in parentheses of its own unless its brackets can never have some around them."""
    return expression(node) if isinstance(node, _BRACKETED) else _parenthesized(expression(node))


def _operators_value(node: ast.expr) -> Doc:
    """The same, when it takes several lines anyhow: in parentheses where it has operators to break at."""
    inner = node.value if isinstance(node, ast.Await) else node
    whole = binding(inner) is None and chain_links(inner) is None
    return expression(node) if whole else _parenthesized(expression(node))


_BRACKETED = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.GeneratorExp)


def _parenthesized(doc: Doc) -> Doc:
    return Group((IfBroken("("), Indent((SOFT, doc), STEP), SOFT, IfBroken(")")))


def expression(node: ast.expr, *, breaks: bool = True) -> Doc:
    """`node` inside brackets, where an operator may begin a line (unless `breaks` says no)."""
    if isinstance(node, ast.Name):
        return node.id
    chain = operator_chain(node)
    if chain is not None:
        space: Doc = LINE if breaks else " "
        first, *rest = chain
        operands = [(space, part.operator, _operand(part.operand, part.parent, breaks)) for part in rest]
        return Group((first.operator, _operand(first.operand, first.parent, breaks), *operands))
    return _primary(node, breaks=breaks)


def _operand(node: ast.expr, parent: ast.expr, breaks: bool) -> Doc:
    own, outer = binding(node), binding(parent)
    if own is None or outer is None or own > outer:
        return expression(node, breaks=breaks)
    return Group(("(", Indent((SOFT, expression(node)), STEP), SOFT, ")"))


def _primary(node: ast.expr, *, breaks: bool) -> Doc:
    links = chain_links(node) if breaks else None
    if links is not None:
        return _call_chain(links)
    match node:
        case ast.Call(func=function, args=arguments, keywords=keywords):
            return (_receiver(function), _call_arguments(arguments, keywords))
        case ast.Attribute(value=value, attr=name):
            return (_receiver(value), ".", name)
        case ast.Subscript(value=value, slice=ast.Tuple(elts=items)):
            return (_receiver(value), _one_a_line("[", list(map(expression, items)), "]"))
        case ast.Subscript(value=value, slice=index):
            return (_receiver(value), Group(("[", Indent((SOFT, expression(index)), STEP), SOFT, "]")))
        case ast.Await(value=value):
            return ("await ", _receiver(value))
        case _:
            return _display(node)


def _display(node: ast.expr) -> Doc:
    """Whatever brings its own brackets, and what never breaks."""
    match node:
        case ast.List(elts=items):
            return _one_a_line("[", list(map(expression, items)), "]")
        case ast.Tuple(elts=items):
            return _one_a_line("(", list(map(expression, items)), ")")
        case ast.Dict(keys=keys, values=values):
            return _one_a_line("{", list(map(_entry, keys, values)), "}")
        case ast.ListComp() | ast.GeneratorExp():
            return _comprehension(node)
        case ast.Lambda(args=parameters, body=body):
            return (_lambda_head(parameters), _lambda_body(body))
        case ast.Starred(value=value):
            return ("*", expression(value))
        case ast.Constant(value=str() as text):
            return quoted(text)
        case _:
            return ast.unparse(node)


def _call_chain(links: list[ast.expr]) -> Doc:
    """Two or more calls on what calls gave stand below each other."""
    first, *rest = links
    docs: list[Doc] = [_receiver(first)]
    for link in rest:
        match link:
            case ast.Call(func=ast.Attribute(attr=name), args=arguments, keywords=keywords):
                docs.append((SOFT, ".", name, _call_arguments(arguments, keywords)))
    return Group(tuple(docs))


def _receiver(node: ast.expr) -> Doc:
    if binding(node) is None and not isinstance(node, ast.Lambda):
        return expression(node)
    return Group(("(", Indent((SOFT, expression(node)), STEP), SOFT, ")"))


def _call_arguments(arguments: list[ast.expr], keywords: list[ast.keyword]) -> Doc:
    match arguments, keywords:
        case [ast.GeneratorExp() as only], []:  # needs no parentheses of its own
            return Group(("(", Indent((SOFT, Group(_clauses(only))), STEP), SOFT, ")"))
    return _arguments("(", [*map(expression, arguments), *map(_keyword, keywords)], ")")


def _keyword(keyword: ast.keyword) -> Doc:
    value = expression(keyword.value)
    return ("**", value) if keyword.arg is None else (keyword.arg, "=", value)


def _entry(key: ast.expr | None, value: ast.expr) -> Doc:
    if key is None:
        return ("**", expression(value))
    return (expression(key), ": ", expression(value))


def _comprehension(node: ast.ListComp | ast.GeneratorExp) -> Doc:
    opening, closing = "[]" if isinstance(node, ast.ListComp) else "()"
    return Group((opening, Indent((SOFT, Group(_clauses(node))), STEP), SOFT, closing))


def _clauses(node: ast.ListComp | ast.GeneratorExp) -> Doc:
    docs: list[Doc] = [expression(node.elt)]
    for clause in node.generators:
        docs.append(("for ", _target(clause.target), " in ", _not_conditional(clause.iter)))
        docs += [("if ", _not_conditional(condition)) for condition in clause.ifs]
    return join(LINE, docs)


def _not_conditional(node: ast.expr) -> Doc:
    """Where an `if` would be read as the comprehension's."""
    if isinstance(node, ast.IfExp | ast.Lambda):
        return Group(("(", Indent((SOFT, expression(node)), STEP), SOFT, ")"))
    return expression(node)


def _lambda_body(node: ast.expr) -> Doc:
    """In parentheses when it breaks, unless it has brackets to break in."""
    has_brackets = binding(node) is None and chain_links(node) is None and not isinstance(node, ast.Attribute)
    return expression(node) if has_brackets else _parenthesized(expression(node))


def _lambda_head(parameters: ast.arguments) -> str:
    names = ", ".join(parameter.arg for parameter in parameters.args)
    return f"lambda {names}: " if names else "lambda: "


def _arguments(opening: str, docs: Sequence[Doc], closing: str) -> Doc:
    """All on one line of their own when they fit there, else one a line."""
    if not docs:
        return opening + closing
    inside = Group((join((",", LINE), docs), IfBroken(",")))
    return Group((opening, Indent((SOFT, inside), STEP), SOFT, closing))


def _one_a_line(opening: str, docs: Sequence[Doc], closing: str, *, bare: bool = False) -> Doc:
    """One a line as soon as they do not fit; `bare` needs no brackets while they do."""
    if not docs:
        return opening + closing
    before: Doc = IfBroken(opening) if bare else opening
    after: Doc = IfBroken(closing) if bare else closing
    return Group((before, Indent((SOFT, join((",", LINE), docs), IfBroken(",")), STEP), SOFT, after))


def quoted(text: str) -> str:
    """`text` as the formatter quotes it: in double quotes unless single ones need fewer escapes."""
    body = repr(text + "'")[1:-2] if '"' not in text else repr(text)[1:-1].replace("\\'", "'")
    if text.count('"') > text.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'
