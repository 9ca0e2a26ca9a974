"""Mistakes in the members of aggregates and value objects, and in their bodies."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class TokenNullable(Diagnostic):
    """A `token` field guards against lost updates and so always has a value."""

    message = "token field `{name}` cannot be optional"
    help = "remove the `?`"

    name: str


class VersionFieldCollision(Diagnostic):
    """A field is called `version`; every aggregate has a version of its own that counts its saves."""

    message = "`{owner}` already has a version that counts its saves"
    help = "rename the field `version`"

    owner: str


class ReservedDerivedOnVo(Diagnostic):
    """`derived display` and `derived inspect` are the labels of aggregates."""

    message = "`derived {name}` is reserved for aggregates"
    help = "rename it"

    name: str


class DerivedDisplayNotString(Diagnostic):
    """`derived display` is the label of an aggregate and so a string."""

    message = "`derived display` must be a string"
    help = "declare it as `derived display: string`"


class DerivedInspectNotString(Diagnostic):
    """`derived inspect` is the debug label of an aggregate and so a string."""

    message = "`derived inspect` must be a string"
    help = "declare it as `derived inspect: string`"


class ThisIdInCreate(Diagnostic):
    """`this.id` is read in a create; the new id is written `id` there."""

    message = "`this.id` cannot be read in a create"
    help = "write `id`"


class CanonicalCreateConflict(Diagnostic):
    """An aggregate has two unnamed creates, `crudish` counted."""

    message = "`{owner}` has two unnamed creates"
    help = "keep one of them; `crudish` declares one, `crudish(updateOnly: true)` does not"

    owner: str


class CanonicalDestroyConflict(Diagnostic):
    """An aggregate has two unnamed destroys, `crudish` counted."""

    message = "`{owner}` has two unnamed destroys"
    help = "keep one of them; `crudish` declares one, `crudish(updateOnly: true)` does not"

    owner: str


class NamedLifecycleDropped(Diagnostic):
    """A create or destroy of a state aggregate has a name, by which nothing could ever reach it."""

    message = "nothing can reach the named {kind} `{name}`"
    help = "remove the name, or make it an operation"

    kind: str
    name: str


class CreateNameConflict(Diagnostic):
    """Two creates of one aggregate have the same name."""

    message = "a second create is named `{name}`"
    help = "remove it"

    name: str


class DestroyNameConflict(Diagnostic):
    """Two destroys of one aggregate have the same name."""

    message = "a second destroy is named `{name}`"
    help = "remove it"

    name: str


class CreateFieldUnassigned(Diagnostic):
    """A required field is not set on some path through a create, or is read before it is set."""

    needs_whole: ClassVar[Whole] = "declaration"
    message: ClassVar[dict[str, str]] = {
        "unset": "`{name}` of `{owner}` is not set on every path through its create",
        "read": "`{name}` of `{owner}` is read before it is set",
    }
    help: ClassVar[dict[str, str]] = {
        "unset": "assign it, give it a default, or make it optional",
        "read": "assign it first",
    }

    case: Literal["unset", "read"]
    name: str
    owner: str


class LifecycleGuardUnreadable(Diagnostic):
    """A `requires` in a create or destroy reads data that the gate cannot see."""

    message = "the gate of a {kind} cannot read `{name}`"
    help = "use `precondition`"

    kind: str
    name: str


class WhenReferencesOpParam(Diagnostic):
    """The `when` of an operation reads one of its parameters.

    `when` says in which states an instance takes the operation; callers ask it before they have any input.
    """

    message = "`when` of `{operation}` cannot read its parameter `{name}`"
    help = "write `precondition` in the body"

    operation: str
    name: str


class UniqueUnknownField(Diagnostic):
    """`unique` lists something that is no field of the aggregate."""

    message = "`{owner}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    owner: str
    name: str
    nearest: str


class UniqueDuplicateColumn(Diagnostic):
    """`unique` lists a field twice."""

    message = "`{name}` is listed twice"
    help = "remove one of them"

    name: str


class DuplicateUnique(Diagnostic):
    """Two keys of an aggregate list the same fields, in whichever order."""

    message = "the key ({columns}) is declared twice"
    help = "remove one of them"

    columns: str


class UniqueCollectionField(Diagnostic):
    """`unique` lists a collection, which no single column holds."""

    message = "`{name}` is a collection and cannot be part of a key"
    help = "list single-valued fields"

    name: str


class UniqueValueobjectField(Diagnostic):
    """`unique` lists a value object, which spreads over several columns."""

    message = "`{name}` is a value object and cannot be part of a key"
    help = "list scalar fields"

    name: str


class FieldDefaultNotConstant(Diagnostic):
    """A default reads the instance, or calls something; it is evaluated where no instance exists."""

    message = "the default of `{name}` cannot use {what}"
    help = "use constants, enum values, `now()` and arithmetic"

    name: str
    what: str


class FunctionToplevelBlock(Diagnostic):
    """A function at the root of the model has a block; there it is one expression."""

    message = "function `{name}` at the root of the model must be one expression"
    help = "write `= …` instead of the block"

    name: str


class FunctionRecursive(Diagnostic):
    """Functions at the root of the model call each other in a circle."""

    message = "function `{name}` calls itself: {path}"
    help = "break the circle"

    name: str
    path: str


class UnknownMacro(Diagnostic):
    """`with X` names no macro and no capability."""

    message = "unknown macro or capability `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class MacroArgUnknown(Diagnostic):
    """A macro is given an argument that it does not declare."""

    message = "`{macro}` has no argument `{name}`"
    help = "its arguments are: {known}"

    macro: str
    name: str
    known: str


class MacroArgDuplicate(Diagnostic):
    """A macro argument is given twice."""

    message = "`{name}` is given twice"
    help = "remove one of them"

    name: str


class MacroArgKindMismatch(Diagnostic):
    """A macro argument has a value of the wrong kind."""

    message = "`{name}` of `{macro}` takes {expected}"
    help = "write {expected} after `{name}:`"

    macro: str
    name: str
    expected: str


class MacroTargetMismatch(Diagnostic):
    """A macro is applied to the wrong kind of declaration."""

    message = "`{name}` cannot be applied to {host}"
    help = "it belongs to {expected}"

    name: str
    host: str
    expected: str


class DuplicateMacro(Diagnostic):
    """A macro is applied twice to one aggregate."""

    message = "`{name}` is applied twice"
    help = "remove one of them"

    name: str


class MacroArgMissing(Diagnostic):
    """A macro needs an argument, and is not given it."""

    message = "`{macro}` needs `{name}`"
    help = "write `{macro}({name}: …)`"

    macro: str
    name: str


class MacroArgUnresolvedRef(Diagnostic):
    """An argument of a macro names nothing that there is."""

    message = "`{macro}` is of `{name}`, which nothing declares"
    help = "did you mean `{nearest}`?"

    macro: str
    name: str
    nearest: str


class MessageFieldModifier(Diagnostic):
    """A field of an event or record is said to be what only stored fields are.

    A message holds what it was given and is read whole: nobody writes to it, and nobody is kept from a part of it.
    """

    message = "`{name}` is a field of a message, which takes no `{modifier}`"
    help = "remove `{modifier}`"

    name: str
    modifier: str
