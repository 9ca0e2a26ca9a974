"""Declarations inside a context: types, aggregates and their members, repositories."""

from __future__ import annotations

from enum import StrEnum

from loom.parse.ast.expressions import Expression, Selection
from loom.parse.ast.shared import NameRef, Node, TypeRef, Unsupported
from loom.parse.ast.statements import Statement


class Access(StrEnum):
    """Who may write and read a property; EDITABLE is the unmarked one."""

    EDITABLE = "editable"
    IMMUTABLE = "immutable"
    MANAGED = "managed"
    TOKEN = "token"
    INTERNAL = "internal"
    SECRET = "secret"


class EnumValue(Node):
    at: int
    name: str


class Enum(Node):
    at: int
    name: str
    values: tuple[EnumValue, ...]


class Property(Node):
    """`sensitive` holds its tags, `provenanced` the word where it stands, `mask` what stands after `mask unless`."""

    at: int
    name: str
    type: TypeRef
    access: Access = Access.EDITABLE
    default: Expression | None = None
    check: Expression | None = None
    check_message: str | None = None
    sensitive: tuple[NameRef, ...] = ()
    provenanced: NameRef | None = None
    mask: Expression | None = None


class Containment(Node):
    """`contains name: Part[]`. A plain property of a part type means the same; only `lower` can tell."""

    at: int
    name: str
    type: TypeRef


class Derived(Node):
    at: int
    name: str
    type: TypeRef
    value: Expression


class Invariant(Node):
    """`at` is the keyword."""

    at: int
    condition: Expression
    when: Expression | None
    message: str | None
    is_private: bool


class Unique(Node):
    at: int
    columns: tuple[NameRef, ...]


class Parameter(Node):
    at: int
    name: str
    type: TypeRef
    default: Expression | None = None


class Function(Node):
    """`body` is an expression after `=`, or the statements of a block."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: TypeRef
    body: Expression | tuple[Statement, ...]


class Operation(Node):
    """`extern` and `audited` are those words where they stand."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: TypeRef | None
    is_private: bool
    requires: Expression | None
    when: Expression | None
    body: tuple[Statement, ...]
    extern: NameRef | None = None
    audited: NameRef | None = None


class Create(Node):
    """`name` is empty for the canonical one, whose `at` is the keyword."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    audited: NameRef | None = None


class Destroy(Node):
    """`name` is empty for the canonical one, whose `at` is the keyword."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    audited: NameRef | None = None


class Test(Node):
    """A unit or context test; `subject` is what stands after `for`, `verifies` a test case."""

    at: int
    name: str
    subject: NameRef | None
    body: tuple[Statement, ...]
    verifies: NameRef | None = None


class Apply(Node):
    """How an event of the log changes the instance that is folded from it; `at` is the keyword."""

    at: int
    parameter: NameRef
    event: NameRef
    body: tuple[Statement, ...]


class Filter(Node):
    """A condition of every read; `at` is the keyword. `capability` is empty until lowering takes it from one."""

    at: int
    condition: Expression
    capability: str = ""


class Stamp(Node):
    """Assignments of every save; `event` is `onCreate` or `onUpdate`, `at` the keyword."""

    at: int
    event: NameRef
    body: tuple[Statement, ...]


class Implements(Node):
    """A capability taken on by what holds this."""

    at: int
    name: str


CapabilityMember = Property | Filter | Stamp


class Capability(Node):
    """Members for whoever takes it on."""

    at: int
    name: str
    members: tuple[CapabilityMember, ...]


PartMember = Property | Containment | Derived | Invariant | Function | Unsupported
ValueObjectMember = Property | Derived | Invariant | Function | Test | Unsupported


class EntityPart(Node):
    at: int
    name: str
    members: tuple[PartMember, ...]


class ValueObject(Node):
    at: int
    name: str
    members: tuple[ValueObjectMember, ...]


class MacroArgument(Node):
    """`value` is a string, number, boolean, bare name, or tuple of bare names."""

    at: int
    name: str
    value: str | int | bool | NameRef | tuple[NameRef, ...]


class MacroCall(Node):
    """`with crudish(updateOnly: true)`: a macro or a capability, only `lower` knows which."""

    at: int
    name: str
    arguments: tuple[MacroArgument, ...]


AggregateMember = (
    Property
    | Containment
    | Derived
    | Invariant
    | Unique
    | Function
    | Operation
    | Create
    | Destroy
    | EntityPart
    | Test
    | Apply
    | Filter
    | Stamp
    | Implements
    | Unsupported
)


class Aggregate(Node):
    """Each header is None where it is not written."""

    at: int
    name: str
    macros: tuple[MacroCall, ...]
    members: tuple[AggregateMember, ...]
    is_abstract: bool = False
    base: NameRef | None = None
    persistence: NameRef | None = None
    shape: NameRef | None = None
    inheritance: NameRef | None = None
    audited: NameRef | None = None
    cross_tenant: NameRef | None = None


class Event(Node):
    at: int
    name: str
    fields: tuple[Property, ...]


class Criterion(Node):
    """A named condition over the instances of an aggregate, or over nothing (`of bool`); `alias` may be empty."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    of: TypeRef
    alias: str
    condition: Expression


class Retrieval(Node):
    """A named read of instances of an aggregate."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    of: TypeRef
    selection: Selection


class PolicyFunction(Node):
    """A named condition for gates."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: TypeRef
    condition: Expression


class PayloadKind(StrEnum):
    PAYLOAD = "payload"
    COMMAND = "command"
    QUERY = "query"
    RESPONSE = "response"
    ERROR = "error"


class Payload(Node):
    """A transport record."""

    at: int
    kind: PayloadKind
    name: str
    fields: tuple[Property, ...]


class ServiceOperation(Node):
    at: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: TypeRef | None
    body: tuple[Statement, ...]


class DomainService(Node):
    """What belongs to no single aggregate."""

    at: int
    name: str
    members: tuple[ServiceOperation | Test, ...]


class PayloadUnion(Node):
    """`payload X = A | B`: a name for a union."""

    at: int
    kind: PayloadKind
    name: str
    variants: tuple[TypeRef, ...]


class Find(Node):
    """`ignoring` names capabilities whose filters are lifted; the name `*` means all."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    returns: TypeRef
    requires: Expression | None
    where: Expression | None
    ignoring: tuple[NameRef, ...] = ()


class Repository(Node):
    at: int
    name: str
    aggregate: NameRef
    finds: tuple[Find, ...]
