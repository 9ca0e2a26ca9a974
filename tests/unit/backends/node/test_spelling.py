"""Names and texts of a model inside TypeScript."""

from __future__ import annotations

import pytest

from loom.backends.node import spelling
from loom.backends.node.code.regex import javascript_regex
from loom.backends.node.text.imports import Imports


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("plain", "'plain'"),
        ("it's", '"it\'s"'),
        ("both ' and \"", "'both \\' and \"'"),
        ("a\\b\n\t", "'a\\\\b\\n\\t'"),
        ("${x} `y`", "'\\u0024{x} `y`'"),
        ("bidi \u202e and \u2066", "'bidi \\u202e and \\u2066'"),
        ("🜁 ß", "'🜁 ß'"),
    ],
)
def test_a_text_is_quoted_as_the_formatter_quotes_it(text: str, literal: str) -> None:
    assert spelling.quoted(text) == literal


def test_a_template_keeps_what_looks_like_a_hole() -> None:
    assert spelling.template_text("${cost} `now` \\") == "\\${cost} \\`now\\` \\\\"


@pytest.mark.parametrize(
    ("name", "local", "type_"),
    [
        ("unitPrice", "unitPrice", "UnitPrice"),
        ("class", "class_", "Class"),
        ("HTTPServer", "HTTPServer", "HTTPServer"),
        ("Error", "Error_", "Error_"),
        ("tx", "tx_", "Tx"),
    ],
)
def test_a_taken_name_gets_an_underscore(name: str, local: str, type_: str) -> None:
    assert (spelling.local_name(name), spelling.type_name(name)) == (local, type_)


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("^[A-Z]{2,4}-[0-9]+$", "/^[A-Z]{2,4}-[0-9]+$/u"),
        ("a/b", "/a\\/b/u"),
        (".", "/[^\\n]/u"),
        ("[.]", "/[.]/u"),
        (r"\s\w[\s]", "/[\\t\\n\\f\\r ][0-9A-Za-z_][\\t\\n\\f\\r ]/u"),
        (r"\-", "/-/u"),
        ("\ue000", "/\\ue000/u"),
    ],
)
def test_a_pattern_means_the_same_to_javascript(pattern: str, literal: str) -> None:
    assert javascript_regex(pattern) == literal


def test_imports_are_sorted_as_the_formatter_sorts_them() -> None:
    imports = Imports("src/http/telescope")
    imports.value("src/http/values/shared", "skyPointBody")
    imports.value("src/http/values/shared", "SkyPointSchema")
    imports.value("zod", "z")
    imports.type("src/domain/ids", "TelescopeId")
    imports.value("src/http/schemas", "*")
    imports.value("node:util", "isDeepStrictEqual")
    imports.value("src/http/telescope", "itself")
    assert imports.text().splitlines() == [
        "import { isDeepStrictEqual } from 'node:util';",
        "import { z } from 'zod';",
        "import type { TelescopeId } from '../domain/ids.js';",
        "import * as schema from './schemas.js';",
        "import { SkyPointSchema, skyPointBody } from './values/shared.js';",
    ]


def test_numbers_in_the_names_of_modules_and_imports_are_sorted_as_numbers() -> None:
    imports = Imports("src/http/index")
    for number in (10, 2, 1):
        imports.value(f"src/http/form{number}", f"form{number}Routes")
        imports.value("src/domain/ids", f"newForm{number}Id")
    imports.value("src/http/form-x", "formXRoutes")
    assert imports.text().splitlines() == [
        "import { newForm1Id, newForm2Id, newForm10Id } from '../domain/ids.js';",
        "import { formXRoutes } from './form-x.js';",
        "import { form1Routes } from './form1.js';",
        "import { form2Routes } from './form2.js';",
        "import { form10Routes } from './form10.js';",
    ]


@pytest.mark.parametrize("name", ["Present", "PageBody", "Money", "Row", "Class"])
def test_an_instance_hides_nothing_that_stands_beside_it(name: str) -> None:
    assert spelling.instance_name(name) == f"{name[0].lower()}{name[1:]}_"
