"""How TypeScript spells declared names: casing, reserved words, files.

In: declared names. Out: identifiers and paths.
Never: names that a client or the database sees.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from loom.base import camel, kebab, pascal, words
from loom.ir.types import Ref

_KEYWORDS = """
abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do
else enum eval export extends false finally for function if implements import in instanceof interface let new null
number object package private protected public return static string super switch symbol this throw true try type typeof
undefined unknown var void while with yield
"""
# Names that emitted modules use for themselves; a model's name of that spelling gets an underscore.
_TAKEN = """
input state events body path query routes created deleted result db tx held c schema z sql and or not eq ne lt lte gt
gte like inArray asc desc count log ensure authorize newId uuidv7 int32 int64 nonZero plus minus times dividedBy
remainder round floor ceil days hours minutes later earlier elapsed now trim substring split replaceAll textLength
compareTexts first firstOrNull take skip distinct contains without describe expect test unsaved isNull isNotNull
arrayContains load loadFirst loadPage selection assembled
"""
# Shadowing these is refused by the linter.
_RESTRICTED = """
constructor decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis hasOwnProperty isFinite isNaN
isPrototypeOf parseFloat parseInt propertyIsEnumerable toLocaleString toString unescape valueOf Infinity NaN
"""
_TYPES_TAKEN = """
AggregateNotFoundError Array BigInt Boolean Buffer ById Connection Context Date Decimal DisallowedError DomainError
DomainEvent Error EventDispatcher ForbiddenError Function Hono HttpEnvironment Id JSON JsonNumber Map Math
NotFoundError Number Object PageRequest Pick Promise Record RegExp SORTABLE SQL Set String Symbol
"""
# Variables that stand beside an instance.
_OWN = frozenset(
    {"answer", "before", "found", "id", "items", "repository", "request", "result", "row", "rows", "total", "version"}
)
# Shadowing these globals is refused by the linter as well.
_GLOBALS = """
AggregateError ArrayBuffer AsyncIterator Atomics BigInt64Array BigUint64Array DataView EvalError FinalizationRegistry
Float32Array Float64Array Generator Infinity Int16Array Int32Array Int8Array Intl Iterator NaN Proxy RangeError
ReferenceError Reflect SharedArrayBuffer SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
Uint8ClampedArray WeakMap WeakRef WeakSet
"""
_EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|const) (\w+)", re.MULTILINE)
_FILES = frozenset(
    {"app", "errors", "events", "index", "infrastructure", "paging", "paths", "problems", "requests", "responses"}
    | {"routes", "schemas", "values", "versions", "workflows"}
)
_LOCALS = frozenset(_KEYWORDS.split()) | frozenset(_TAKEN.split())
_TYPES = frozenset(_TYPES_TAKEN.split()) | frozenset(_GLOBALS.split())
_NAMES = _LOCALS | _TYPES | frozenset(_RESTRICTED.split())
# What has a method called `then` is taken for a promise, and `await` calls it.
_MEMBERS = frozenset({"constructor", "state", "events", "create", "destroy", "checkInvariants", "then"})


def local_name(name: str) -> str:
    """A parameter, a local or a function."""
    return f"{name}_" if name in _NAMES else name


def member_name(name: str) -> str:
    """A method or a getter of an aggregate's class."""
    return f"{name}_" if name in _MEMBERS else name


def type_name(name: str) -> str:
    """A class, an interface or a union type."""
    initial = name[:1].upper() + name[1:]
    return f"{initial}_" if initial in _TYPES else initial


def instance_name(name: str) -> str:
    """A variable that holds an instance of the type called `name`."""
    spelled = local_name(camel(words(name)))
    is_taken = spelled in _OWN or spelled in _runtime() or spelled == type_name(name)
    return f"{spelled}_" if is_taken else spelled


@cache
def _runtime() -> frozenset[str]:
    """Functions of the runtime, which modules call beside an instance."""
    modules = Path(__file__).with_name("static").rglob("*.ts")
    return frozenset(name for path in modules for name in _EXPORTED.findall(path.read_text("utf-8")))


def joined(*names: str) -> str:
    """One identifier of several declared names, as `fulfil` and `slaDays` make `fulfilSlaDays`."""
    return camel(words(names[0])) + "".join(pascal(words(name)) for name in names[1:])


def file_name(name: str) -> str:
    return kebab(words(name))


def context_folder(ref: Ref) -> str:
    """The folder of what a context, or the model's root, declares."""
    if not ref.context:
        return "shared"
    name = file_name(ref.context)
    return f"{name}-context" if name in ("shared", "values") else name


def aggregate_file(aggregate: Ref) -> str:
    """The file of an aggregate in the domain and on the HTTP side, where the runtime has files of its own."""
    name = file_name(aggregate.name)
    return f"{name}-aggregate" if name in _FILES else name


def domain_module(aggregate: Ref) -> str:
    """The module of an aggregate and its parts."""
    return f"src/domain/{context_folder(aggregate)}/{aggregate_file(aggregate)}"


def values_module(ref: Ref) -> str:
    """The module of the enums and value objects of a context."""
    return f"src/domain/{context_folder(ref)}/values"


def quoted(text: str) -> str:
    """A string literal, in the quotes that need fewer escapes."""
    if _PLAIN.fullmatch(text):
        return f"'{text}'"
    quote = '"' if text.count("'") > text.count('"') else "'"
    # What looks like the hole of a template is suspicious to the linter.
    return quote + "".join(_escaped(char, quote) for char in text).replace("${", "\\u0024{") + quote


def template_text(text: str) -> str:
    """Text inside a template literal."""
    return "".join(_escaped(char, "`") for char in text).replace("${", "\\${")


# Needs no escape and cannot look like a hole.
_PLAIN = re.compile(r"[ !#%&(-\[\]-~]*")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# The layout marks a place by U+E000, so no literal holds it.
_INVISIBLE = (
    frozenset(range(0x20)) | {0x7F, 0x200E, 0x200F, 0x2028, 0x2029, 0xE000, 0xFEFF} | set(range(0x202A, 0x202F))
)
_BIDI_ISOLATES = frozenset(range(0x2066, 0x206A))


def _escaped(char: str, quote: str) -> str:
    if char == quote:
        return f"\\{char}"
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    return f"\\u{code:04x}" if code in _INVISIBLE or code in _BIDI_ISOLATES else char
