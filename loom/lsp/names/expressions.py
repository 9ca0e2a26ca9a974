"""Expressions: what each name in them means, and types as far as names need them.

In: expressions and their scopes. Out: occurrences, types. Never: a mistake reported; that is the compiler's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from loom.lsp.names.declared import Declared, Home, Root, Site, Type
from loom.lsp.names.scope import Scope
from loom.parse import ast

CURSOR = "loomCursorHere"
_SAME = frozenset(("where", "filter", "orderBy", "take", "skip", "distinct", "reversed", "sorted"))
_ONE = frozenset(("first", "firstOrNull", "single", "singleOrNull", "last", "min", "max", "minBy", "maxBy"))
_LOADS = frozenset(("getById", "getBy", "findById"))


class Occurrence(NamedTuple):
    """One name in a text; `at` is its token's number in the chunk."""

    site: Site
    at: int
    declared: Declared


class Wanted(NamedTuple):
    """What stands around the cursor: a scope, what stands before the dot, the type that is expected.

    `known` is all that may stand there, where that is not for the scope to say.
    """

    scope: Scope
    target: Type | None
    is_member: bool
    is_type: bool
    expected: Type | None
    known: tuple[Declared, ...] = ()


class Expressions:
    """`site` says where token numbers count."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.site = Site("", "")
        self.occurrences: list[Occurrence] = []
        self.wanted: Wanted | None = None

    def mark(self, at: int, declared: Declared | None) -> None:
        """The token `at` means `declared`, if that is known."""
        if declared is not None:
            self.occurrences.append(Occurrence(self.site, at, declared))

    def refer(self, name: ast.NameRef | None, known: Mapping[str, Declared]) -> None:
        """A name, if one is written, of something that is `known`."""
        if name is not None:
            self.choose(name.name, known.values(), Scope(self.site))
            self.mark(name.at, known.get(name.name))

    def choose(self, name: str, known: Iterable[Declared], scope: Scope) -> None:
        """At the cursor, what there is to choose from."""
        if name == CURSOR:
            self.wanted = Wanted(scope, None, False, False, None, tuple(known))

    def written(self, ref: ast.TypeRef, home: Home | None) -> Type:
        """The type that is written there, as `home` knows it."""
        return Type(ref.name, self.root.type(ref.name, home), ref.is_list, ref.is_id)

    def type_name(self, ref: ast.TypeRef, scope: Scope) -> None:
        """What the name of a type means, and the names of its alternatives."""
        if ref.name == CURSOR:
            self.wanted = Wanted(scope, None, False, True, None)
        self.mark(ref.at, self.root.type(ref.name, scope.home))
        for other in ref.others:
            self.type_name(other, scope)

    def type_of(self, declared: Declared) -> Type | None:
        """What a value of that name is."""
        if declared.inferred is not None:
            return declared.inferred
        if declared.kind == "value" and declared.parent is not None:
            return Type(declared.parent.name, declared.parent)
        if declared.type is not None and declared.kind not in ("repository", "criterion", "retrieval"):
            return self.written(declared.type, declared.home)
        return None

    def arm(self, node: ast.MatchCase | ast.VariantArm, scope: Scope) -> Scope:
        """The scope of an arm, which knows the name that it gives."""
        self.type_name(node.variant, scope)
        inside = scope.inside()
        if node.name is not None:
            value = self.written(node.variant, scope.home)
            self.mark(node.name.at, inside.local("match", node.name.name, node.name.at, value))
        return inside

    def optional(self, node: ast.Expression | None, scope: Scope, expected: Type | None = None) -> None:
        """An expression that need not be written."""
        if node is not None:
            self.expression(node, scope, expected)

    def expression(  # noqa: C901 - one arm a kind
        self, node: ast.Expression, scope: Scope, expected: Type | None = None
    ) -> Type | None:
        """Marks what is in it, and gives its type where that is known."""
        match node:
            case ast.Name():
                return self._name(node, scope, expected)
            case ast.This():
                return Type(scope.this.name, scope.this) if scope.this else None
            case ast.Member():
                return self._member_type(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Builder():
                declared = self.root.type(node.type, scope.home)
                self.mark(node.at, declared)
                self.fields(node.fields, declared, scope)
                return Type(node.type, declared)
            case ast.Unary():
                return self.expression(node.operand, scope)
            case ast.Binary():
                return self._binary(node, scope)
            case ast.Ternary():
                self.expression(node.condition, scope)
                then = self.expression(node.then, scope, expected)
                return then or self.expression(node.otherwise, scope, expected)
            case _:
                self._parts(node, scope, expected)
                return None

    def _parts(  # noqa: C901 - one arm a kind
        self, node: ast.Expression, scope: Scope, expected: Type | None
    ) -> None:
        """What is inside an expression whose own type no name depends on."""
        match node:
            case ast.ObjectLiteral():
                self.fields(node.fields, None, scope)
            case ast.ListLiteral():
                for item in node.items:
                    self.expression(item, scope, expected and expected._replace(is_list=False))
            case ast.Lambda():
                self._lambda(node, None, scope)
            case ast.Match():
                for arm in node.arms:
                    self.expression(arm.condition, scope)
                    self.expression(arm.value, scope, expected)
                self.optional(node.otherwise, scope, expected)
            case ast.Ignoring():
                self.expression(node.target, scope)
            case ast.VariantMatch():
                self.expression(node.subject, scope)
                for case in node.arms:
                    self.expression(case.value, self.arm(case, scope), expected)
                self.optional(node.otherwise, scope, expected)
            case ast.Template():
                for part in node.parts:
                    if isinstance(part, ast.Hole):
                        self.expression(part.value, scope)
            case _:
                pass

    def _name(self, node: ast.Name, scope: Scope, expected: Type | None) -> Type | None:
        if node.name == CURSOR:
            self.wanted = Wanted(scope, None, False, False, expected)
        declared = self._meant(node.name, scope, expected)
        self.mark(node.at, declared)
        if declared is None:
            return Type(scope.this.name, scope.this, is_id=True) if node.name == "id" and scope.this else None
        is_type = declared.kind in _TYPE_KINDS
        return Type(declared.name, declared, is_static=True) if is_type else self.type_of(declared)

    def _meant(self, name: str, scope: Scope, expected: Type | None) -> Declared | None:
        if (found := scope.lookup(name)) is not None and found.kind != "entity":
            return found
        if name in ("currentUser", "permissions"):
            return self.caller(scope.home).get(name)
        enum = expected.declared if expected is not None else None
        if enum is not None and enum.kind == "enum" and name in enum.members:
            return enum.members[name]
        values = list(self.root.enum_values(name, scope.home))
        if len(values) == 1:
            return values[0]
        return self.root.type(name, scope.home) or self.root.functions.get(name)

    def caller(self, home: Home | None) -> dict[str, Declared]:
        """What is known of who asks, and what may be asked of them."""
        found = dict(self.root.others.get("user", {}))
        if home is not None and home.permissions is not None:
            found["permissions"] = home.permissions
        return found

    def _member_type(self, node: ast.Member, scope: Scope) -> Type | None:
        return self._member_of(node, self.expression(node.target, scope), scope)

    def _member_of(self, node: ast.Member, target: Type | None, scope: Scope) -> Type | None:
        if node.name == CURSOR:
            self.wanted = Wanted(scope, target, True, False, None)
        if target is None or target.declared is None:
            return None
        if target.is_list:
            return self._of_list(node.name, target)
        declared = target.declared.members.get(node.name)
        if declared is not None:
            self.mark(node.at, declared)
            return self.type_of(declared)
        return self._made(node.name, target)

    def _of_list(self, name: str, target: Type) -> Type | None:
        if name in _SAME:
            return target
        return target._replace(is_list=False) if name in _ONE else None

    def _made(self, name: str, target: Type) -> Type | None:
        """What `Order.create`, `Orders.getById` and the like give, and `order.id`."""
        declared = target.declared
        if declared is None:
            return None
        if declared.kind == "route":
            return None
        if name == "id" and not target.is_static:
            return target._replace(is_id=True)
        if name == "create" and declared.kind == "aggregate":
            return Type(declared.name, declared)
        if declared.kind == "repository" and declared.type is not None:
            is_list = name not in _LOADS
            return self.written(declared.type, declared.home)._replace(is_list=is_list)
        return None

    def _call(self, node: ast.Call, scope: Scope) -> Type | None:
        element: Type | None = None
        if isinstance(node.callee, ast.Member):
            element = self.expression(node.callee.target, scope)
            result = self._member_of(node.callee, element, scope)
        else:
            result = self.expression(node.callee, scope)
        called = self.occurrences[-1] if self.occurrences else None
        declared = called.declared if called is not None and called[:2] == (self.site, node.callee.at) else None
        if declared is not None and declared.kind == "create" and declared.parent is not None:
            result = Type(declared.parent.name, declared.parent) if declared.parent.kind == "aggregate" else result
        parameters = declared.parameters if declared else ()
        if not parameters and isinstance(node.callee, ast.Member) and node.callee.name in ("create", "update"):
            parameters = _crudish(element)
        for number, argument in enumerate(node.arguments):
            named = next((item for item in parameters if item.name == argument.name), None)
            if argument.name:
                self.mark(argument.at, named)
            elif number < len(parameters):
                named = parameters[number]
            if isinstance(argument.value, ast.ObjectLiteral):
                self._object(argument.value, parameters, scope)
            else:
                self._argument(argument.value, scope, element, self.type_of(named) if named else None)
        return result

    def _object(self, node: ast.ObjectLiteral, parameters: Iterable[Declared], scope: Scope) -> None:
        """The body of a request: parameters by name, or the fields of the record that is the only one."""
        known = {item.name: item for item in parameters}
        for item in list(known.values()):
            found = self.type_of(item)
            if found is not None and found.declared is not None and found.declared.kind == "payload":
                known = {**found.declared.members, **known}
        for field in node.fields:
            named = known.get(field.name)
            self.mark(field.at, named)
            self.expression(field.value, scope, self.type_of(named) if named else None)

    def _argument(self, value: ast.Expression, scope: Scope, element: Type | None, expected: Type | None) -> None:
        if isinstance(value, ast.Lambda):
            self._lambda(value, element and element._replace(is_list=False), scope)
        elif isinstance(value, ast.InlineRetrieval):
            self.selection(value.selection, Scope(scope.site, scope.home, self._rows(element), scope))
        else:
            self.expression(value, scope, expected)

    def _rows(self, target: Type | None) -> Declared | None:
        """The aggregate that a repository reads."""
        repository = target.declared if target is not None else None
        if repository is None or repository.kind != "repository" or repository.type is None:
            return None
        return self.written(repository.type, repository.home).declared

    def selection(self, node: ast.Selection, scope: Scope) -> None:
        """Which instances, and in what order; `scope` is about one of them."""
        self.expression(node.where, scope)
        for key in node.sort:
            self.mark(key.at, scope.this.members.get(key.path.partition(".")[0]) if scope.this else None)

    def _lambda(self, node: ast.Lambda, element: Type | None, scope: Scope) -> None:
        inside = scope.inside()
        self.mark(node.at, inside.local("parameter", node.parameter, node.at, element))
        self.expression(node.body, inside)

    def _binary(self, node: ast.Binary, scope: Scope) -> Type | None:
        """A name of an enum's value is meant as the other side says."""
        expected: Type | None = None
        later: list[ast.Expression] = []
        for operand in node.operands:
            if isinstance(operand, ast.Name) and scope.lookup(operand.name) is None:
                later.append(operand)
            else:
                expected = self.expression(operand, scope) or expected
        for operand in later:
            self.expression(operand, scope, expected)
        return expected

    def fields(self, fields: Sequence[ast.FieldValue], declared: Declared | None, scope: Scope) -> None:
        """Values by the names of fields of `declared`."""
        given = [item.name for item in fields]
        known = [item for item in declared.members.values() if item.kind == "property"] if declared else []
        for item in fields:
            self.choose(item.name, [each for each in known if each.name not in given], scope)
            found = declared.members.get(item.name) if declared else None
            self.mark(item.at, found)
            self.expression(item.value, scope, self.type_of(found) if found else None)


def _crudish(target: Type | None) -> tuple[Declared, ...]:
    """What a generated `create` or `update` takes: fields, by their names."""
    declared = target.declared if target is not None else None
    if declared is None or declared.kind != "aggregate":
        return ()
    return tuple(item for item in declared.members.values() if item.kind == "property")


_TYPE_KINDS = frozenset(
    (
        "enum",
        "valueobject",
        "aggregate",
        "event",
        "payload",
        "repository",
        "workflow",
        "service",
        "entity",
        "projection",
        "handler",
        "channel",
        "user",
        "permissions",
    )
)
