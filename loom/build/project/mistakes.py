"""What can be wrong with a settings file, as diagnostics.

In: a place in the file and the words to print. Out: diagnostics. Never: the words of a library.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class UnknownSetting(Diagnostic):
    """A settings file has a key that means nothing there."""

    message: ClassVar[dict[str, str]] = dict.fromkeys(("near", "none"), "there is no key `{key}` here")
    help: ClassVar[dict[str, str]] = {
        "near": "did you mean `{nearest}`? there are {allowed}",
        "none": "there are {allowed}",
    }

    case: Literal["near", "none"]
    key: str
    nearest: str
    allowed: str


class MissingSetting(Diagnostic):
    """A settings file lacks a key that has no default."""

    message: ClassVar[str] = "`{key}` is missing"
    help: ClassVar[str] = "add `{key}: …`"

    key: str


class WrongSetting(Diagnostic):
    """A key of a settings file has a value that it cannot have.

    YAML takes `on`, `yes`, `1.5` and `12:30` for other things than texts: a text of that form stands in quotes.
    """

    message: ClassVar[dict[str, str]] = {"key": "`{where}`: {what}", "file": "{what}"}
    help: ClassVar[dict[str, str]] = dict.fromkeys(("key", "file"), "{hint}")

    case: Literal["key", "file"]
    where: str
    what: str
    hint: str


class RepeatedSetting(Diagnostic):
    """A settings file gives one key twice, and YAML would take the last."""

    message: ClassVar[str] = "key `{key}` is given twice"
    help: ClassVar[str] = "remove one of them"

    key: str


class UnreadableSettings(Diagnostic):
    """A settings file is no YAML."""

    message: ClassVar[dict[str, str]] = {"yaml": "this is no YAML: {reason}", "utf-8": "this file is not UTF-8"}
    help: ClassVar[dict[str, str]] = {
        "yaml": "indent with spaces, close each bracket, and put a text that begins with a mark into quotes",
        "utf-8": "save it as UTF-8",
    }

    case: Literal["yaml", "utf-8"]
    reason: str
