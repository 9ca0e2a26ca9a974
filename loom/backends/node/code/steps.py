"""Steps of bodies as TypeScript statements: one function a kind, and the order is the Plan's.

In: Plan steps. Out: texts of statements.
Never: what a workflow does with repositories (workflows.py) or a test with expectations (tests.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.backends.node import spelling
from loom.backends.node.code.nodes import has_written_value, reads
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.types import Types
from loom.backends.node.text import shapes
from loom.base import Value, numbered
from loom.emit.narrowing import Known, either, joined, taken
from loom.emit.renderer import ATOM, Code
from loom.ir import expressions as ir
from loom.ir.expressions import Expr
from loom.ir.statements import Append, Assign, Emit, Invoke, Let, NotFound, Remove, Return
from loom.ir.types import EnumType, IdType, PartType, Scalar, ScalarKind, Type, ValueObjectType, bare
from loom.plan.code.walk import mentions
from loom.plan.model import GatePlan, InvariantPlan, StatePlan
from loom.plan.steps import Authorize, CheckRules, ForEachStep, Guard, IfPresentStep, IfStep, Step

ERRORS = "src/domain/errors"
_PRIMITIVE = frozenset({ScalarKind.INT, ScalarKind.LONG, ScalarKind.STRING, ScalarKind.BOOL, ScalarKind.GUID})


class Steps:
    """Make one per body. `state` is where the fields of the instance lie."""

    def __init__(self, renderer: NodeRenderer, fields: Sequence[StatePlan] = ()) -> None:
        self.renderer = renderer
        self.fields = fields
        self.types = Types(renderer.needs)
        self.renderer.known = {}
        self.bound: set[str] = set()
        self.rest: tuple[Value, ...] = ()

    def place(self, field: str) -> str:
        """Where a field of the instance lies."""
        return f"{self.renderer.this}.state.{field}"

    def block(self, steps: Iterable[Step], later: tuple[Value, ...] = ()) -> list[str]:
        """`later` is what else sees the names that the steps bind."""
        body, found = tuple(steps), list[str]()
        for at, step in enumerate(body):
            self.rest = (*body[at + 1 :], *later)
            found += self.step(step)
        return found

    def is_read(self, name: str) -> bool:
        """Whether the rest of the block needs what the step at hand binds."""
        return any(reads(item, name) for item in self.rest)

    def step(self, step: Step) -> list[str]:
        match step:
            case Let():
                return [self.let(step)]
            case Guard(condition=condition, detail=detail):
                return [self.check("ensure", condition, detail)]
            case Authorize(condition=condition, detail=detail):
                return [self.check("authorize", condition, detail)]
            case CheckRules():
                return [f"{self.renderer.this}.checkInvariants();"]
            case IfStep() | IfPresentStep() | ForEachStep():
                return self.nested(step)
            case Invoke():
                return [self.invoke(step)]
            case Return(value=value):
                return self.give(value)
            case _:
                return self.change(step)

    def nested(self, step: IfStep | IfPresentStep | ForEachStep) -> list[str]:
        match step:
            case IfStep(condition=condition, then=then, otherwise=otherwise):
                return [self.branches(self.renderer.condition(condition), then, otherwise, condition)]
            case IfPresentStep():
                return self.if_present(step)
            case ForEachStep():
                return self.for_each(step)

    def change(self, step: Step) -> list[str]:
        """What changes the instance, or tells about it."""
        match step:
            case Assign():
                return [self.assign(step)]
            case Append(field=field, value=value):
                added = shapes.listed([f"...{self.place(field)}", self.renderer.argument(value)])
                return [shapes.assigned(self.place(field), shapes.atom(added))]
            case Remove():
                return [self.remove(step)]
            case Emit():
                return [self.emit(step)]
            case _:
                raise TypeError(f"a {type(step).__name__} does not belong here")

    def let(self, step: Let) -> str:
        code = self.renderer.code(step.value)
        if not self.is_read(step.name):
            return f"void {shapes.wrapped(code, shapes.UNARY)};"
        name = self.bind(step.name)
        self.renderer.scope[step.name] = name
        if has_written_value(step.value):
            return shapes.assigned(f"const {name}", self.renderer.widened(step.value))
        self.changes(name, step.value)
        needs_type = isinstance(taken(step.value), ir.Construct | ir.ListLiteral | ir.Null)
        annotation = f": {self.types.text(step.value.type)}" if needs_type else ""
        return shapes.assigned(f"const {name}{annotation}", code)

    def check(self, function: str, condition: Expr, detail: str) -> str:
        name = self.renderer.need(ERRORS, function)
        return f"{shapes.call(name, [self.renderer.argument(condition), spelling.quoted(detail)])};"

    def checks(self, function: str, rules: Iterable[GatePlan | InvariantPlan]) -> list[str]:
        """Gates, or what must hold."""
        return [self.check(function, item.condition, item.detail) for item in rules]

    def branches(
        self, condition: Code, then: Sequence[Step], otherwise: Sequence[Step], test: Expr | None = None
    ) -> str:
        """`test` is the condition where that is one of the model."""
        known = self.renderer.known
        yes, after_yes = self.followed(then, test, True)
        self.renderer.known = known
        no, after_no = self.followed(otherwise, test, False)
        self.renderer.known = joined(after_yes, after_no)
        first = shapes.block(f"if ({shapes.text(condition)})", yes)
        if not otherwise:
            return first
        if len(otherwise) == 1 and isinstance(otherwise[0], IfStep):
            return f"{first} else {''.join(no)}"
        return shapes.block(f"{first} else", no)

    def followed(self, steps: Sequence[Step], test: Expr | None, truth: bool) -> tuple[list[str], Known | None]:
        """A block where `test` has that truth, and what is known behind it: nothing where it ends the body."""
        if test is not None:
            self.renderer.known = self.renderer.narrowing.given(test, truth, self.renderer.known)
        inside = self.scoped(steps)
        return inside, None if steps and isinstance(steps[-1], Return | NotFound) else self.renderer.known

    def scoped(self, steps: Iterable[Step]) -> list[str]:
        """A block of its own: what it binds is not seen after it."""
        outer = dict(self.renderer.scope)
        inside = self.block(steps)
        self.renderer.scope = outer
        return inside

    def if_present(self, step: IfPresentStep) -> list[str]:
        name = self.bind(step.name)
        outer = dict(self.renderer.scope)
        bound = shapes.assigned(f"const {name}", self.present(step))
        self.renderer.scope[step.name] = name
        branches = self.branches(shapes.atom(f"{name} !== null"), step.then, step.otherwise)
        self.renderer.scope = outer
        return [bound, branches]

    def present(self, step: IfPresentStep) -> Code:
        assert step.source is not None, "only a workflow reads repositories"
        return self.renderer.code(step.source)

    def for_each(self, step: ForEachStep) -> list[str]:
        outer = dict(self.renderer.scope)
        source = self.items(step)
        name = self.bind(step.name)
        name = name if mentions(step.body, step.name) else f"_{name}"
        self.renderer.scope[step.name] = name
        loop = shapes.block(f"for (const {name} of {source})", self.repeated(step.body))
        self.renderer.scope = outer
        return [loop]

    def repeated(self, steps: Sequence[Step]) -> list[str]:
        """A block that may run again: what its end leaves is known at its beginning too."""
        head, bound, is_settled = self.renderer.known, set(self.bound), False
        while not is_settled:
            before, self.bound = head, set(bound)
            self.renderer.known = before
            lines = self.scoped(steps)
            head = either(before, self.renderer.known)
            is_settled = head == before
        self.renderer.known = head
        return lines

    def items(self, step: ForEachStep) -> str:
        assert step.source is not None, "only a workflow reads repositories"
        return self.renderer.argument(step.source)

    def bind(self, name: str) -> str:
        """A name for a constant of the model that no other constant of the body has."""
        return self.fresh(spelling.local_name(name))

    def fresh(self, name: str) -> str:
        """`name`, or with a number where the body has it already."""
        spelled = next(item for item in numbered(name) if item not in self.bound)
        self.bound.add(spelled)
        return spelled

    def assign(self, step: Assign) -> str:
        field, *inside = step.path
        target = self.place(field)
        self.changes(target, None if inside else step.value)
        kind = next((item.type for item in self.fields if item.name == field), step.type)
        value = self.replaced(target, kind, tuple(inside), self.renderer.code(step.value))
        return shapes.assigned(target, value)

    def changes(self, target: str, value: Expr | None) -> None:
        """Follows what the type checker believes of the target from now on."""
        self.renderer.known = self.renderer.narrowing.assigned(target, value, self.renderer.known)

    def replaced(self, target: str, kind: Type, path: tuple[str, ...], value: Code) -> Code:
        """The value object at `target` with the member at `path` replaced."""
        if not path:
            return value
        owner = bare(kind)
        assert isinstance(owner, ValueObjectType)
        fields = self.renderer.model.value_objects[owner.ref].fields
        inner = next(item.type for item in fields if item.name == path[0])
        new = self.replaced(f"{target}.{path[0]}", inner, path[1:], value)
        literal = shapes.braces([f"...{target}", shapes.member(path[0], new)])
        return shapes.atom(self.renderer.made(owner.ref, literal))

    def remove(self, step: Remove) -> str:
        target = self.place(step.field)
        if not isinstance(step.element, PartType) and not is_primitive(step.element):
            without = self.renderer.need("src/domain/values/collections", "without")
            code = shapes.call(without, [target, self.renderer.argument(step.value)])
            return shapes.assigned(target, shapes.atom(code))
        removed = shapes.wrapped(self.renderer.code(step.value), ATOM)
        other = "other"
        if isinstance(step.element, PartType):
            removed = removed if isinstance(step.value.type, IdType) else f"{removed}.id"
            other = "other.id"
        kept = shapes.arrow("other", Code(f"{other} !== {removed}", shapes.EQUALITY))
        return shapes.assigned(target, shapes.atom(shapes.call(f"{target}.filter", [kept])))

    def emit(self, step: Emit) -> str:
        uuid = self.renderer.need("uuidv7", "uuidv7")
        fields = [shapes.member(item.name, self.renderer.code(item.value)) for item in step.fields]
        event: list[str] = [
            f"id: {uuid}()",
            f"type: {spelling.quoted(step.event.name)}",
            shapes.member("data", shapes.atom(shapes.braces(fields))),
        ]
        return f"{self.events()}.push({shapes.braces(event)});"

    def events(self) -> str:
        return f"{self.renderer.this}.events"

    def invoke(self, step: Invoke) -> str:
        receiver = self.renderer.this
        if step.receiver:
            receiver = self.renderer.scope.get(step.receiver, spelling.local_name(step.receiver))
        arguments = [self.renderer.argument(argument) for argument in step.arguments]
        done = shapes.call(f"{receiver}.{spelling.member_name(step.operation)}", arguments)
        if not step.bind or not self.is_read(step.bind):
            return f"{done};"
        name = self.bind(step.bind)
        self.renderer.scope[step.bind] = name
        return shapes.assigned(f"const {name}", shapes.atom(done))

    def give(self, value: Expr) -> list[str]:
        return [shapes.returned(self.renderer.code(value))]


def is_primitive(kind: Type) -> bool:
    """Whether `===` compares values of the type."""
    match kind:
        case Scalar(kind=scalar):
            return scalar in _PRIMITIVE
        case IdType() | EnumType():
            return True
        case _:
            return False
