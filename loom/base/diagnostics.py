"""Diagnostics: what is wrong with a model, as values; one class each, whose name is its code.

In: a place and the fields that the wording prints. Out: message and help as text.
Never: a span (only the printer knows lines) or an exception for a user's mistake.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from enum import StrEnum
from string import Formatter
from typing import ClassVar, Literal

from msgspec.structs import asdict

from loom.base.nodepath import NodePath
from loom.base.value import Value

REGISTRY: dict[str, type[Diagnostic]] = {}
RETIRED: frozenset[str] = frozenset()


Whole = Literal["nothing", "declaration", "system"]


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Diagnostic(Value):
    """A mistake, or a doubt, about a model; subclasses say which. The docstring is the manual page.

    A subclass of one that has a code is a variant of it, of another severity, and has the same code and page.
    """

    severity: ClassVar[Severity] = Severity.ERROR
    message: ClassVar[str | Mapping[str, str]] = ""
    help: ClassVar[str | Mapping[str, str]] = ""
    code: ClassVar[str] = ""
    # It says that something is lacking. That is only true as long as no mistake in the text took something out of the
    # declaration that the diagnostic names, or of anything. What has a field `nearest` is about a name in any case.
    needs_whole: ClassVar[Whole] = "nothing"

    at: NodePath

    @classmethod
    def _register(cls) -> None:
        super()._register()
        if cls.__mro__[1].__dict__.get("code"):
            return
        if not cls.message:  # a family of diagnostics, not one of them
            return
        cls.code = "loom." + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__).lower()
        known = REGISTRY.get(cls.code)
        if cls.code in RETIRED or (known is not None and known.__qualname__ != cls.__qualname__):
            raise TypeError(f"{cls.code} is already taken")
        if not inspect.cleandoc(cls.__doc__ or ""):
            raise TypeError(f"{cls.code} has no manual page")
        if unknown := set(_printed(cls.message)) | set(_printed(cls.help)) - {"case"}:
            unknown -= set(cls.field_names())
            if unknown:
                raise TypeError(f"{cls.code} prints unknown fields {sorted(unknown)}")
        REGISTRY[cls.code] = cls

    def text(self) -> str:
        """One line: what is wrong."""
        return self._wording(self.message).format(**asdict(self))

    def help_text(self) -> str:
        """One line: what to do, or nothing when a field that it prints is empty (no near name, say)."""
        wording = self._wording(self.help)
        if any(getattr(self, name) == "" for name in _printed(wording)):
            return ""
        return wording.format(**asdict(self))

    def _wording(self, wording: str | Mapping[str, str]) -> str:
        """A class with a `case` field has one wording a case."""
        return wording if isinstance(wording, str) else wording[str(asdict(self)["case"])]


def _printed(wording: str | Mapping[str, str]) -> list[str]:
    texts = [wording] if isinstance(wording, str) else list(wording.values())
    return [name for text in texts for _, name, _, _ in Formatter().parse(text) if name]
