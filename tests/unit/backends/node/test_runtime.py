"""What of the runtime, of values and of the HTTP side is left out: exactly the declarations that nothing imports."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from loom.backends.node.runtime import STATIC, blocks_of, pruned, with_imports
from loom.emit import DepsLock, backend, emit
from loom.emit.project import static_files
from tests.kit.sample import sample_service

LOCKS = Path(__file__).parents[4] / "rules" / "deps" / "node"
MODULES = sorted(path for path in static_files(STATIC) if path.endswith(".ts") and not path.endswith(".d.ts"))
IMPORT = re.compile(r"^import (?:type )?(?:\{([^}]*)\}|\* as (\w+)|\w+) from '([^']+)';$", re.MULTILINE)
EXPORT = re.compile(r"^export (?:const|function|class|async function) (\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def modules() -> Mapping[str, str]:
    """The TypeScript of the emitted sample, by path."""
    lock = DepsLock(files=tuple((path.name, path.read_text()) for path in sorted(LOCKS.iterdir()) if path.is_file()))
    files = emit(backend("node"), sample_service("node"), lock).files
    return {file.path: file.text for file in files if file.path.endswith(".ts")}


@pytest.mark.parametrize("path", MODULES)
def test_a_static_module_with_every_declaration_wanted_is_itself(path: str) -> None:
    text = static_files(STATIC)[path]
    names = frozenset(block.name for block in blocks_of(text)[1])
    assert with_imports(pruned(text, names)) == text


def test_a_declaration_brings_what_it_uses_and_no_more() -> None:
    text = (
        "import { Decimal } from 'decimal.js';\nimport { type Unit, unitOf } from './units.js';\n\n"
        "const LIMIT = 7;\n\n"
        "/** Says what weighs too much. */\nexport function tooHeavy(load: number): boolean {\n"
        "  return load > LIMIT;\n}\n\n"
        "export function weighed(load: Unit): Decimal {\n  return new Decimal(unitOf(load));\n}\n"
    )
    assert pruned(text, frozenset({"tooHeavy"})) == (
        "const LIMIT = 7;\n\n"
        "/** Says what weighs too much. */\nexport function tooHeavy(load: number): boolean {\n"
        "  return load > LIMIT;\n}\n"
    )
    assert "LIMIT" not in pruned(text, frozenset({"weighed"}))


def test_what_is_called_like_an_import_does_not_keep_it() -> None:
    text = (
        "import { int32, plus, times } from './numbers.js';\nimport * as schema from './schemas.js';\n\n"
        "const Request = schema.object({ plus: schema.int32, times: schema.int32 });\n\n"
        "export function used(given: { plus?: number }): number[] {\n"
        "  return [given.plus ?? Request.times, ...times(3)];\n}\n\n"
        "export function unused(x: number): number {\n  return int32(plus(x));\n}\n"
    )
    head = pruned(text, frozenset({"used"})).partition("\n\n")[0]
    assert head == "import { times } from './numbers.js';\nimport * as schema from './schemas.js';"


def imports(modules: Mapping[str, str], path: str) -> list[tuple[str, set[str]]]:
    """Own modules that `path` imports, with the names that it uses of them."""
    found = []
    for listed, alias, module in IMPORT.findall(modules[path]):
        if module.startswith("."):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), module)).removesuffix(".js") + ".ts"
            named = {name.strip().removeprefix("type ") for name in listed.split(",") if name.strip()}
            found.append((target, named or set(re.findall(rf"\b{alias}\.(\w+)", modules[path]))))
    return found


def test_every_import_finds_its_module(modules: Mapping[str, str]) -> None:
    missing = [(path, target) for path in modules for target, _ in imports(modules, path) if target not in modules]
    assert missing == []


def test_no_function_is_emitted_that_nothing_uses(modules: Mapping[str, str]) -> None:
    used: dict[str, set[str]] = {path: set() for path in modules}
    for path in modules:
        for target, names in imports(modules, path):
            used[target] |= names
    dead = [
        f"{path}: {name}"
        for path, text in modules.items()
        if not path.startswith("src/domain/seed-vault/") or path.endswith("/values.ts")  # what an aggregate can do
        for name in EXPORT.findall(text)
        if name not in used[path] and len(re.findall(rf"\b{name}\b", text)) == 1
    ]
    assert dead == []


def test_the_database_side_knows_nothing_of_http(modules: Mapping[str, str]) -> None:
    importing = [
        (path, target) for path in modules for target, _ in imports(modules, path) if path.startswith("src/db/")
    ]
    assert ("src/db/seed-vault/seed-lot-repository.ts", "src/db/paging.ts") in importing
    assert [pair for pair in importing if pair[1].startswith("src/http/")] == []


def test_no_finder_is_emitted_that_nothing_calls(modules: Mapping[str, str]) -> None:
    everything = "\n".join(modules.values())
    methods = [
        name for text in modules.values() for name in re.findall(r"^  (?:async )?((?:find|get)By\w+)\(", text, re.M)
    ]
    assert "getById" in methods
    assert [name for name in methods if len(re.findall(rf"\.{name}\(", everything)) == 0] == []


def test_what_a_list_is_sorted_by_is_said_by_its_repository(modules: Mapping[str, str]) -> None:
    called = [name for text in modules.values() for name in re.findall(r"\.\.\.pageQuery\((.*?)\)", text)]
    assert called and set(called) == {"SORTABLE"}


def test_the_count_of_an_operation_is_said_once(modules: Mapping[str, str]) -> None:
    counting = [path for path, text in modules.items() if "operation_invoked" in text or "domainOperations" in text]
    assert counting == ["src/observability/metrics.ts"]
