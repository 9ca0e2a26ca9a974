"""Everything that can be wrong with the text of a model before anything is looked up.

In: a place in the text and the words to print. Out: diagnostics.
Never: a number of a node: a text that did not parse has none, so these point at the chunk `@`, whose
numbers are offsets in code points.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic, NodePath, Severity, node_path

OFFSET_CHUNK = "@"


def offset_path(file: str, offset: int) -> NodePath:
    """The place `offset` code points into `file`."""
    return node_path(file, OFFSET_CHUNK, offset)


class UnsettledConflict(Diagnostic):
    """Version control left both sides of a conflict in the file."""

    message: ClassVar[str] = "a conflict of versions is not settled"
    help: ClassVar[str] = "keep what stands above or below `=======`, and remove the three marks"


class ParseError(Diagnostic):
    """Something stands where the language wants something else.

    The message says what was found, the help what could stand there. The parser picks up again at the next
    member or statement, so one run shows all independent mistakes of a file.
    """

    message: ClassVar[Mapping[str, str]] = {"token": "unexpected {found}", "form": "{found}"}
    help: ClassVar[str] = "{advice}"

    case: Literal["token", "form"]
    found: str
    advice: str


class LexError(Diagnostic):
    """A character that belongs to no token, outside a string or a comment."""

    message: ClassVar[str] = "unexpected character `{character}`"
    help: ClassVar[Mapping[str, str]] = {
        "other": "names use the letters A to Z, digits and `_`; other characters belong in strings",
        "quote": 'strings stand in plain double quotes, `"`',
        "dash": "write `-`",
        "unseen": "remove it, or write a plain space: nobody sees it",
        "hash": "a comment begins with `//`",
    }

    case: Literal["other", "quote", "dash", "unseen", "hash"]
    character: str


class UnclosedString(Diagnostic):
    """A string, a template or a block comment that is never closed."""

    message: ClassVar[str] = "this {what} is never closed"
    help: ClassVar[str] = "it ends with {closing}"

    what: Literal["string", "template", "comment"]
    closing: str


class UnknownEscape(Diagnostic):
    """A backslash in a string before a character that needs none.

    The escapes are `\\n`, `\\t`, `\\r`, `\\"`, `\\\\`; write two backslashes for one, in regular expressions too.
    """

    message: ClassVar[str] = "`\\{character}` is no escape"
    help: ClassVar[str] = "write `\\\\{character}` for a backslash and `{character}`"

    character: str


class NulInString(Diagnostic):
    """The character U+0000, which no database text can hold."""

    message: ClassVar[str] = "the character NUL is not allowed"
    help: ClassVar[str] = "remove it"


class BidiControl(Diagnostic):
    """A bidirectional control character in a name: the name would read otherwise than it is."""

    message: ClassVar[str] = "bidirectional control character {character} in a name"
    help: ClassVar[str] = "remove it; such characters are allowed in strings only"

    character: str


class NotUtf8(Diagnostic):
    """A file in another encoding than UTF-8. A byte order mark at the start of UTF-8 is accepted."""

    message: ClassVar[Mapping[str, str]] = {
        "utf-16": "the file is encoded in UTF-16",
        "utf-32": "the file is encoded in UTF-32",
        "other": "the file is not valid UTF-8",
    }
    help: ClassVar[str] = "save it as UTF-8"

    case: Literal["utf-16", "utf-32", "other"]


class NestingTooDeep(Diagnostic):
    """An expression or block that nests more than 200 levels."""

    message: ClassVar[str] = "nested more than {deepest} levels deep"
    help: ClassVar[str] = "name parts of it with `let`, `derived` or a function"

    deepest: int


class NumberTooLong(Diagnostic):
    """A number with more digits than any type of the language holds."""

    message: ClassVar[str] = "a number of {digits} digits"
    help: ClassVar[str] = "no type holds more than 28 digits"

    digits: int


class RemovedForm(Diagnostic):
    """A form of older models that the language no longer has."""

    message: ClassVar[Mapping[str, str]] = {
        "view": "`view` is gone from the language",
        "ids": "`ids` is gone from the language: every id is a UUID",
    }
    help: ClassVar[Mapping[str, str]] = {
        "view": "declare a `projection`, or a `find` in the aggregate's repository",
        "ids": "remove the clause",
    }

    case: Literal["view", "ids"]


class UiIgnored(Diagnostic):
    """The file describes a user interface, which Loom neither checks nor emits; one warning a file."""

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[str] = "`{word}` and other parts of the user interface are ignored"
    help: ClassVar[str] = "keep them in a file of their own"

    word: str


class ImportNotFound(Diagnostic):
    """An import names a file that does not exist. Paths are relative to the file that imports."""

    message: ClassVar[dict[str, str]] = dict.fromkeys(("near", "none"), "there is no file `{path}`")
    help: ClassVar[dict[str, str]] = {
        "near": "did you mean `{nearest}`?",
        "none": "write it relative to this file, or make it",
    }

    case: Literal["near", "none"]
    path: str
    nearest: str


class ImportNotModel(Diagnostic):
    """An import names a file that is no part of a model: those end in `.ddd`."""

    message: ClassVar[dict[str, str]] = dict.fromkeys(("near", "none"), "`{path}` is no `.ddd` file")
    help: ClassVar[dict[str, str]] = {
        "near": "did you mean `{nearest}`?",
        "none": "import files of the model only",
    }

    case: Literal["near", "none"]
    path: str
    nearest: str


class ImportOutsideProject(Diagnostic):
    """An import leads out of the project's folder, through `..`, an absolute path or a link."""

    message: ClassVar[str] = "`{path}` lies outside the project"
    help: ClassVar[str] = "move the file beside the others, or move `loom.yaml` up"

    path: str
