"""Broken models: what is changed in the apiary, and what Loom has to say of it.

`¦` marks where the caret must point; it is no part of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.engine.pipeline.apiary_project import TEMPLATE

MARK = "¦"
FILES = ("main", "hive_keeping", "honey_harvest", "quality")
SOUP = '} ) foo := "a" + aggregate context { {{ [ 12.3.4 @ # => ] let for in\n'


class Edit(NamedTuple):
    """In the file of that name `old`, which stands there once or more, becomes `new` at its first place."""

    file: str
    old: str
    new: str


class Broken(NamedTuple):
    """`codes` are those of all mistakes that are to be found, each once."""

    name: str
    codes: tuple[str, ...]
    edits: tuple[Edit, ...]
    encode: Callable[[str], bytes] = str.encode


def one(name: str, code: str, file: str, old: str, new: str) -> Broken:
    return Broken(name, (code,), (Edit(file, old, new),))


def whole(name: str, code: str, file: str, text: str) -> Broken:
    """The whole file has that text instead."""
    return Broken(name, (code,), (Edit(file, original(file), text),))


def original(file: str) -> str:
    return (TEMPLATE / "model" / f"{file}.ddd").read_text()


def marked(broken: Broken) -> dict[str, str]:
    """The texts of the changed files, marks included."""
    texts: dict[str, str] = {}
    for edit in broken.edits:
        text = texts.get(edit.file, original(edit.file))
        assert edit.old in text, edit
        texts[edit.file] = text.replace(edit.old, edit.new, 1)
    return texts


def places(broken: Broken) -> set[str]:
    """Where carets must point, as `file:line:column`."""
    found = set()
    for file, text in marked(broken).items():
        for number, line in enumerate(text.split("\n"), 1):
            while MARK in line:
                found.add(f"model/{file}.ddd:{number}:{line.index(MARK) + 1}")
                line = line.replace(MARK, "", 1)
    return found


def sources(broken: Broken) -> dict[str, bytes]:
    """The changed files as they are written."""
    return {file: broken.encode(text.replace(MARK, "")) for file, text in marked(broken).items()}


HIVE, HONEY, MAIN, WORDS = "hive_keeping", "honey_harvest", "main", "quality"
IMPORT = 'import "./quality.ddd"\n'
DERIVED = 'derived display: string = siteName + " hive"'
BODY = "frames += count"
EVENTS = "        repository BeeHives"
MOVED = "        event HiveMoved { hive: BeeHive id, siteName: string }\n" + EVENTS

BROKEN = (
    one("unknown type", "unknown-type", HIVE, "frames: int", "frames: ¦itn"),
    one("duplicate field", "duplicate-field", HIVE, "queenDNA: string?", "¦siteName: string?"),
    one("wrong argument count", "call-arg-count", HIVE, "found.addFrames(2)", "found.¦addFrames(2, 3)"),
    one("wrong argument type", "call-arg-type", HIVE, "addFrames(2)", 'addFrames(¦"two")'),
    one("unknown find column", "find-where-unknown-field", HIVE, "this.siteName", "this.¦sitName"),
    Broken("bad import path", ("import-not-found",), (
        Edit(MAIN, 'import "./hive', 'import ¦"./quality_words.ddd"\nimport "./hive'),
    )),
    Broken("missing import", ("unknown-type",), (
        Edit(HIVE, IMPORT, ""), Edit(HONEY, IMPORT, ""), Edit(HIVE, "temper: BeeTemper", "temper: ¦BeeTemper"),
    )),
    one("import outside of the project", "import-outside-project", HIVE, IMPORT,
        'import ¦"../../other.ddd"\n' + IMPORT),
    one("duplicate system", "duplicate-system", WORDS, "enum", "system ¦Apiary { }\nenum"),
    one("unclosed string", "unclosed-string", HIVE, '"a hive has frames"', '¦"a hive has frames'),
    one("unclosed comment", "unclosed-string", HIVE, "// Where the bees live.", "¦/* Where the bees live."),
    one("NUL in a string", "nul-in-string", HIVE, '"national"', '"nat¦\0ional"'),
    whole("token soup", "parse-error", WORDS, MARK + SOUP),
    one("stray brace", "parse-error", HIVE, f"{BODY}\n            }}\n        }}",
        f"{BODY}\n            }}\n        }} ¦}}"),
    one("missing brace", "parse-error", HIVE, f"{BODY}\n            }}", f"{BODY}\n"),
    Broken("mistakes beside a broken field", ("unknown-type", "parse-error", "unknown-name"), (
        Edit(HIVE, "queenDNA: string?", "queenDNA: ¦: string?"),
        Edit(HIVE, "frames: int", "frames: ¦itn"),
        Edit(HONEY, "divTrunc(", "divTrunc(¦jrs + "),
    )),
    one("deep nesting", "nesting-too-deep", HIVE, "int = 10", f"int = {'(' * 1000}1{')' * 1000}"),
    one("removed form", "removed-form", HIVE, "BeeHive with", "BeeHive ¦ids guid with"),
    Broken("cycle of value objects", ("cyclic-value-object",), (
        Edit(HIVE, "        aggregate", "        valueobject ¦WaxCell { next: WaxComb? }\n        aggregate"),
        Edit(HIVE, "        aggregate", "        valueobject WaxComb { cells: WaxCell[] }\n        aggregate"),
    )),
    Broken("required field never set", ("create-field-unassigned",), (
        Edit(HIVE, "BeeHive with crudish", "BeeHive"),
        Edit(HIVE, DERIVED, f"{DERIVED}\n            ¦create(frames: int) {{ frames := frames }}"),
    )),
    one("unknown platform", "unknown-platform", MAIN, "HiveService {\n        platform: python",
        "HiveService {\n        platform: ¦pyton"),
    one("port clash", "duplicate-host-port", MAIN, "port: 8302", "port: 8301"),
    one("port out of range", "port-out-of-range", MAIN, "port: 8302", "port: ¦83020"),
    one("unknown deployable in a test", "linking-error", MAIN, "against HiveService", "against ¦HiveServise"),
    one("unknown context in a deployable", "linking-error", MAIN, "[HiveKeeping]", "[¦HiveKeping]"),
    one("unknown context in a resource", "linking-error", MAIN, "for: HiveKeeping", "for: ¦HiveKeping"),
    Broken("emit with a missing field", ("emit-missing-field",), (
        Edit(HIVE, EVENTS, MOVED), Edit(HIVE, BODY, f"{BODY}\n                emit ¦HiveMoved {{ hive: id }}"),
    )),
    one("emit of an unknown event", "emit-unknown-event", HIVE, BODY, f"{BODY}\n                emit ¦HiveMoved {{ }}"),
    one("assignment to a derived", "assignment-target", HIVE, BODY, '¦display := "x"'),
    one("optional where a value is needed", "assignment-type", HIVE, BODY, "siteName := ¦queenDNA"),
    one("null where a value is needed", "null-to-required", HIVE, BODY, "siteName := ¦null"),
    one("text where a number is needed", "assignment-type", HIVE, BODY, 'frames := ¦"ten"'),
    one("duplicate enum value", "duplicate-enum-value", WORDS, "Fierce", "Fierce, ¦Calm"),
    one("empty enum", "empty-enum", WORDS, "enum BeeTemper", "enum ¦HoneyColour { }\nenum BeeTemper"),
    one("unknown enum value", "unknown-name", HIVE, "BeeTemper = Calm", "BeeTemper = ¦Clam"),
    one("unknown name", "unknown-name", HIVE, BODY, "frames += ¦cuont"),
    one("unknown member", "intrinsic-unknown", HONEY, "divTrunc", "¦divTrunk"),
    one("member that is nothing like any other", "intrinsic-unknown", HONEY, "divTrunc", "¦squeeze"),
    one("number as a condition", "condition-not-bool", HIVE, "precondition count > 0", "precondition ¦count"),
    one("unknown repository", "workflow-unknown-repository", HIVE, "BeeHives.getById", "¦BeeHvies.getById"),
    one("unknown operation", "workflow-unknown-operation", HIVE, "found.addFrames", "found.¦addFrame"),
    one("unknown aggregate", "linking-error", HONEY, "for HoneyBatch {", "for ¦HoneyBtach {"),
    one("duplicate context", "duplicate-context", HONEY, "subdomain", "context ¦HiveKeeping { }\nsubdomain"),
    one("duplicate operation", "duplicate-member", HIVE, DERIVED, f"{DERIVED}\n            operation ¦display() {{ }}"),
    one("number that is too large", "literal-out-of-range", HIVE, "int = 10", "int = ¦99999999999999999999"),
    one("unknown macro", "unknown-macro", HIVE, "with crudish", "with crudish, ¦crudsh"),
    one("unknown escape", "unknown-escape", HIVE, '"national"', '"nat¦\\qional"'),
    one("character of no language", "lex-error", HIVE, "frames > 0", "frames ¦§ 0"),
    one("loop over a number", "loop-source", HIVE, BODY, "for frame in ¦count { frames += 1 }"),
    one("unreachable statement", "unreachable-statement", HIVE, "addFrames(count: int) {",
        "addFrames(count: int): int {\n                return 1"),
    Broken("UTF-16", ("not-utf8",), (Edit(WORDS, "// Words", "¦// Words"),), lambda text: text.encode("utf-16")),
    Broken("Latin-1", ("not-utf8",), (Edit(WORDS, "Fierce", "Fierc¦é"),), lambda text: text.encode("latin-1")),
    Broken("not supported yet", ("unsupported-feature",), (
        Edit(HIVE, EVENTS,
            "        projection ¦HiveList { site: string from BeeHive select site = siteName }\n" + EVENTS),
    )),
)  # fmt: skip

SIX = Broken(
    "six mistakes in four files",
    ("unknown-type", "call-arg-type", "assignment-target", "intrinsic-unknown", "unknown-platform",
     "duplicate-enum-value"),
    (
        Edit(WORDS, "Fierce", "Fierce, ¦Calm"),
        Edit(HIVE, "queenDNA: string?", "queenDNA: ¦strng?"),
        Edit(HIVE, "addFrames(2)", 'addFrames(¦"two")'),
        Edit(HIVE, BODY, '¦display := "x"'),
        Edit(HONEY, "divTrunc", "¦divTrunk"),
        Edit(MAIN, "HarvestService {\n        platform: node", "HarvestService {\n        platform: ¦nodejs"),
    ),
)  # fmt: skip
