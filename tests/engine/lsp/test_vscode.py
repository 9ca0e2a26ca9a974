"""The extension's files agree with each other and with the grammar of the language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from loom import lsp
from loom.parse.tables import compiled

FOLDER = Path(lsp.__file__).parent / "vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes/ddd.tmLanguage.json").read_text())


def test_every_file_that_the_manifest_names_is_there() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text())
    (language,) = manifest["contributes"]["languages"]
    (grammar,) = manifest["contributes"]["grammars"]
    for name in (manifest["main"], language["configuration"], grammar["path"]):
        assert (FOLDER / name).is_file()
    assert grammar["language"] == language["id"] and grammar["scopeName"] == GRAMMAR["scopeName"]
    assert language["extensions"] == [".ddd"]
    json.loads((FOLDER / "language-configuration.json").read_text())


def test_every_keyword_of_the_language_is_coloured() -> None:
    words = set()
    for pattern in GRAMMAR["repository"]["word"]["patterns"]:
        words |= set(re.findall(r"\w+", pattern["match"].replace("\\b", "")))
    assert compiled().words - words == set()


def test_patterns_can_be_read_and_refer_to_what_there_is() -> None:
    for pattern in patterns(GRAMMAR):
        for key in ("match", "begin", "end"):
            re.compile(pattern.get(key, ""))
        if "include" in pattern and pattern["include"] != "$self":
            assert pattern["include"].removeprefix("#") in GRAMMAR["repository"]


def patterns(node: object) -> Iterator[dict[str, str]]:
    if isinstance(node, dict):
        if {"match", "begin", "include"} & set(node):
            yield node
        for value in node.values():
            yield from patterns(value)
    elif isinstance(node, list):
        for value in node:
            yield from patterns(value)
