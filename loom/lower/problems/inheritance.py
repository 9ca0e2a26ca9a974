"""Mistakes in hierarchies of aggregates."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class ExtendsNonAbstract(Diagnostic):
    """Only an abstract aggregate can be extended: a concrete one has rows and routes of its own."""

    message = "`{base}` is not abstract"
    help = "write `abstract aggregate {base}`, and move what only it has into an aggregate of its own"

    base: str


class ExtendsSelf(Diagnostic):
    """An aggregate extends itself."""

    message = "`{name}` extends itself"
    help = "remove `extends {name}`"

    name: str


class ExtendsCycle(Diagnostic):
    """Aggregates extend each other in a circle, so that none of them is the first."""

    message = "`{name}` extends itself: {path}"
    help = "break the circle"

    name: str
    path: str


class AbstractAggregateBehavior(Diagnostic):
    """An abstract aggregate has no instances, so nothing can create, change or destroy one."""

    message = "the abstract aggregate `{name}` cannot have {what}"
    help = "declare it in each aggregate that extends `{name}`"

    name: str
    what: str


class AbstractRepository(Diagnostic):
    """An abstract aggregate has no rows of its own to find."""

    message = "the abstract aggregate `{name}` cannot have a repository"
    help = "declare one for an aggregate that extends `{name}`"

    name: str


class InheritanceModifierMisplaced(Diagnostic):
    """`inheritanceUsing` says how a hierarchy is stored; the aggregate is in none."""

    message = "`{name}` is in no hierarchy that `inheritanceUsing` could be about"
    help = "remove it, or declare the aggregate `abstract`"

    name: str


class TphOwnOverrideUnsupported(Diagnostic):
    """A hierarchy is stored in one way, which its uppermost aggregate chooses."""

    message = "`{name}` cannot be stored otherwise than `{base}`, which says `{chosen}`"
    help = "remove `inheritanceUsing` here"

    name: str
    base: str
    chosen: str


class EsTphForcedOwnTable(Diagnostic):
    """A shared table holds columns; an event log or a document has none that could be shared."""

    message: ClassVar[dict[str, str]] = {
        "log": "`{name}` is stored as events and cannot share the table of `{base}`",
        "document": "`{name}` is stored as a document and cannot share the table of `{base}`",
    }
    help = "write `inheritanceUsing: ownTable` in `{base}`"

    case: Literal["log", "document"]
    name: str
    base: str


class PolymorphicIdRefUnsupported(Diagnostic):
    """An id of a base could be in any of several tables, and no key can refer to all of them."""

    message = "`{name} id` could be in the table of any aggregate that extends `{name}`"
    help = "name one of them, or write `inheritanceUsing: sharedTable` in `{name}`"

    name: str
