"""Mistakes in capabilities and in what they bring: filters and stamps."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class UnknownCapability(Diagnostic):
    """`implements` names no capability, of the language or of the model."""

    message = "unknown capability `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class MissingCapability(Diagnostic):
    """A macro changes fields that a capability brings, and the aggregate does not have it."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`with {macro}` needs the capability `{capability}`"
    help = "write `with {capability}, {macro}`"

    macro: str
    capability: str


class CriterionNotSelectable(Diagnostic):
    """The condition of a filter or of another condition of reads is outside what a database can answer."""

    message = "the condition cannot be asked of a database: {reason}"
    help = "compare one column with one value"

    reason: str


class FilterBypassUnknownCapability(Diagnostic):
    """`ignoring` names a capability that the aggregate does not have."""

    message = "`{aggregate}` has no capability `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class FilterBypassNoFilter(Diagnostic):
    """`ignoring` lifts filters where there is none."""

    needs_whole: ClassVar[Whole] = "declaration"
    message: ClassVar[dict[str, str]] = {
        "all": "`{aggregate}` has no filter to ignore",
        "one": "the capability `{name}` of `{aggregate}` has no filter to ignore",
    }
    help = "remove `{name}` from `ignoring`"

    case: Literal["all", "one"]
    aggregate: str
    name: str


class StampReadBeforeFlush(Diagnostic):
    """A create reads a field that a stamp sets, and stamps run after its body."""

    message = "`{name}` has no value yet: a stamp sets it when `{owner}` is saved"
    help = "use the value that the stamp assigns"

    name: str
    owner: str


class CapabilityHostInvalid(Diagnostic):
    """A capability adds fields, filters and stamps, and only aggregates have them.

    A context takes one on for all of its aggregates.
    """

    message = "the capability `{name}` is for aggregates, not for {host}"
    help = "write it after the name of an aggregate or context"

    name: str
    host: str
