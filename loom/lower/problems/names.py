"""Mistakes about names: unknown, doubled, reserved."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class UnknownType(Diagnostic):
    """A type is named that nothing declares.

    Declare it, correct the spelling, or write `X id` for an aggregate of another context.
    """

    message = "unknown type `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class ForeignType(Diagnostic):
    """A type of another context is used as a value; only ids cross contexts.

    Declare the enum or value object at the root of the model, or keep an id.
    """

    message = "`{name}` belongs to context `{context}`"
    help = "only ids cross contexts: move `{name}` to the root of the model"

    name: str
    context: str


class AmbiguousAggregate(Diagnostic):
    """An id names an aggregate that several other contexts declare.

    Rename one of them: the reference cannot say which is meant.
    """

    message = "`{name}` is declared in several contexts: {contexts}"
    help = "rename one of them"

    name: str
    contexts: str


class LinkingError(Diagnostic):
    """A reference to a declaration cannot be resolved.

    Declare what is named, or correct the spelling. `kind` says what was expected there.
    """

    message = "unknown {kind} `{name}`"
    help = "did you mean `{nearest}`?"

    kind: str
    name: str
    nearest: str


class UnknownName(Diagnostic):
    """A bare name in an expression is no parameter, local, field, derived value, function or enum value."""

    message = "unknown name `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class UnknownMember(Diagnostic):
    """A member is read that the value before the dot does not have."""

    message = "`{owner}` has no member `{name}`"
    help = "did you mean `{nearest}`?"

    owner: str
    name: str
    nearest: str


class AmbiguousEnumValue(Diagnostic):
    """A bare enum value is declared by several enums and nothing around it says which.

    Write it with its enum: `Severity.High`.
    """

    message = "`{name}` is a value of several enums: {enums}"
    help = "write the enum in front, as in `{example}`"

    name: str
    enums: str
    example: str


class DuplicateField(Diagnostic):
    """Two fields of one declaration have the same name."""

    message = "field `{name}` is declared twice in `{owner}`"
    help = "rename or remove one of them"

    name: str
    owner: str


class DuplicateMember(Diagnostic):
    """A member has the name of another member: an operation named like a field, say, or two operations."""

    message = "`{name}` is already the name of {other} of `{owner}`"
    help = "rename this {kind}"

    name: str
    owner: str
    kind: str
    other: str


class DuplicateParameter(Diagnostic):
    """A parameter name is repeated."""

    message = "parameter `{name}` is declared twice"
    help = "rename one of them"

    name: str


class DuplicateLocal(Diagnostic):
    """A `let`, loop, `if let` or lambda name is already a parameter or a local here.

    A second binding would hide the first, and some targets would overwrite it.
    """

    message = "`{name}` is already bound here"
    help = "choose another name"

    name: str


class DuplicateEnumValue(Diagnostic):
    """A value is repeated inside an enum."""

    message = "enum `{owner}` repeats the value `{name}`"
    help = "remove the second one"

    name: str
    owner: str


class DuplicateContextType(Diagnostic):
    """Two declarations of one context share a type name."""

    message = "`{name}` is declared twice in context `{context}`"
    help = "rename one of them"

    name: str
    context: str


class DuplicateContext(Diagnostic):
    """Two contexts of the model have the same name."""

    message = "context `{name}` is declared twice"
    help = "rename one of them, or join their members"

    name: str


class DuplicateEnum(Diagnostic):
    """Two enums at the root of the model have the same name."""

    message = "enum `{name}` is declared twice"
    help = "rename one of them"

    name: str


class DuplicateValueobject(Diagnostic):
    """Two value objects at the root of the model have the same name."""

    message = "value object `{name}` is declared twice"
    help = "rename one of them"

    name: str


class DuplicateFunction(Diagnostic):
    """Two functions of one scope have the same name."""

    message = "function `{name}` is declared twice"
    help = "rename one of them"

    name: str


class EnumShadowsRoot(Diagnostic):
    """An enum of a context has the name of a type at the root of the model."""

    message = "enum `{name}` hides the one at the root of the model"
    help = "rename it"

    name: str


class ValueobjectShadowsRoot(Diagnostic):
    """A value object of a context has the name of a type at the root of the model."""

    message = "value object `{name}` hides the one at the root of the model"
    help = "rename it"

    name: str


class PayloadDuplicateField(Diagnostic):
    """A field is repeated in a payload."""

    message = "field `{name}` is declared twice in `{owner}`"
    help = "rename or remove one of them"

    name: str
    owner: str


class PayloadNameConflict(Diagnostic):
    """A payload has the name of another type of its context; or of another one at the root of the model."""

    message = "payload `{name}` has the name of another type of {where}"
    help = "rename the payload"

    name: str
    where: str


class BlankMessage(Diagnostic):
    """An author's message is empty: the caller would be told nothing."""

    message = "the message is empty"
    help = "write what the caller should read, or leave `message` out"


class UnsupportedFeature(Diagnostic):
    """A construct of the language that `target` cannot compile yet.

    Target `loom` means the compiler itself; any other target is a backend that cannot emit it.
    """

    message = "{target} does not support {feature} yet"
    help = "{remedy}: this version cannot compile it"

    target: str
    feature: str
    remedy: str = "remove it"


class EmptyEnum(Diagnostic):
    """An enum has no value, so no field of it could ever be set."""

    message = "enum `{name}` has no value"
    help = "declare at least one value"

    name: str


class SelfOutsideCapability(Diagnostic):
    """`Self id` is used outside a capability body, where it stands for no aggregate."""

    message = "`Self` is only known inside a capability"
    help = "write the aggregate's name"


class NoSystem(Diagnostic):
    """The model declares no system, so there is nothing to deploy."""

    needs_whole: ClassVar[Whole] = "system"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "the model declares no system"
    help = "add `system Name {{ }}` with its deployables"


class DuplicateSystem(Diagnostic):
    """A project has exactly one system."""

    message: ClassVar[dict[str, str]] = {
        "same": "system `{name}` is declared twice",
        "other": "a second system `{name}`: a project has one",
    }
    help = "join the two systems"

    case: Literal["same", "other"]
    name: str
