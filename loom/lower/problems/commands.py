"""Mistakes in commands that are written elsewhere, and in what is recorded of values."""

from __future__ import annotations

from typing import ClassVar

from loom.base import Diagnostic, Severity, Whole


class ExternBodyNotPrecondition(Diagnostic):
    """The body of an `extern` operation only guards: what it does is written in the language of its service."""

    message = "{what} cannot stand in the extern operation `{name}`"
    help = "keep its preconditions, and write the rest in its own file"

    name: str
    what: str


class ExternOnPrivateOperation(Diagnostic):
    """A private operation is called by its siblings, whose bodies are written here."""

    message = "the private operation `{name}` cannot be extern"
    help = "remove `private` or `extern`"

    name: str


class ProvenancedNeverWritten(Diagnostic):
    """Nothing assigns a field of which it is recorded what each value came from."""

    needs_whole: ClassVar[Whole] = "declaration"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "nothing assigns the provenanced field `{name}`"
    help = "remove `provenanced`, or assign the field"

    name: str


class SensitiveNarrowing(Diagnostic):
    """A sensitive value goes where nothing says that it is one, and so into logs and audit records.

    Whatever is computed from a sensitive value is as sensitive; a derived value is by itself.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{target}` takes a value that is sensitive ({tags}), and does not say so"
    help = "add `{tags}` to its `sensitive(…)`"

    target: str
    tags: str
