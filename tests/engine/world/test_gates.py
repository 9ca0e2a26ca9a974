"""The gates of both backends on small projects: a good one passes, a seeded mistake fails with the tool's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.actions.action import Action, ActionResult
from loom.build.actions.cached import ActionFailed, ActionRunner, Done
from loom.build.deps.fixed import must_match
from loom.build.deps.locks import TREE_LOCK, deps_folder, lock_tree
from loom.build.rules.apply import apply_rule
from loom.build.rules.load import rule
from loom.build.sandbox.job import Sandbox
from loom.build.store.results import ResultStore
from loom.build.toolchain.root import build_root
from loom.build.toolchain.toolchain import toolchain
from tests.engine.world.world_kit import ISOLATING, Kind, the_sandbox, the_store, tree_of

PYTHON = {
    "app/__init__.py": "",
    "app/tide_table.py": (
        "from pydantic import BaseModel\n\n\n"
        "class TideTable(BaseModel):\n    HTTPServer: str\n    end: int\n\n"
        "    def rise(self) -> int:\n        return self.end + 1\n"
    ),
    "tests/test_tide_table.py": (
        "from app.tide_table import TideTable\n\n\n"
        'def test_rise() -> None:\n    assert TideTable(HTTPServer="a", end=1).rise() == 2\n'
    ),
    "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
}
NODE = {
    "src/main.ts": (
        "import { z } from 'zod';\n\n"
        "export const tideTable = z.object({ HTTPServer: z.string(), class: z.int() });\n\n"
        "export function rise(end: number): number {\n  return end + 1;\n}\n"
    ),
    "test/main.test.ts": (
        "import { expect, test } from 'vitest';\nimport { rise } from '../src/main.js';\n\n"
        "test('rise', () => {\n  expect(rise(1)).toBe(2);\n});\n"
    ),
    "package.json": json.dumps({"name": "tide", "private": True, "type": "module"}) + "\n",
    "openapi.json": "{}\n",
    "migrations/20260101000000_tide.sql": "select 1;\n",
    "public/docs.html": "docs\n",
    "biome.json": '{\n  "files": { "includes": ["src/**", "test/**"] },\n'
    '  "formatter": { "indentStyle": "space" },\n  "javascript": { "formatter": { "quoteStyle": "single" } }\n}\n',
    "tsconfig.json": json.dumps(
        {
            "compilerOptions": {
                "target": "es2024", "module": "nodenext", "noEmit": True, "strict": True,
                "types": ["node"], "skipLibCheck": True,
            },
            "include": ["src", "test"],
        }
    ),
    "tsconfig.build.json": json.dumps(
        {
            "extends": "./tsconfig.json",
            "compilerOptions": {"noEmit": False, "rootDir": "src", "outDir": "dist"},
            "include": ["src"],
        }
    ),
}  # fmt: skip


class OneRoot:
    """A world with the sandbox of one kind and whatever root is asked for first."""

    isolated = True

    def __init__(self, kind: Kind) -> None:
        self._sandbox = the_sandbox(kind)
        self.roots: dict[str, Path] = {}

    def sandbox(self) -> Sandbox:
        return self._sandbox

    def root(self, identity: str) -> Path:
        return self.roots[identity]

    def applied(self, name: str, trees: Mapping[str, Digest]) -> Action:
        found = rule(name, None)
        chain = toolchain(found.file.toolchain)
        self.roots[chain.identity] = build_root(chain, the_store(), the_sandbox("bubblewrap")).folder
        return apply_rule(found, chain, trees)


def digest_of(result: ActionResult, output: str) -> Digest:
    return next(item.tree for item in result.trees if item.name == output)


def fetched(world: OneRoot, backend: str) -> Digest:
    action = world.applied(f"deps/{backend}", {"lock": lock_tree(backend, None, the_store())})
    place = action.outputs[0].path.removeprefix("/out/")
    check = must_match(deps_folder(backend, None) / TREE_LOCK, place)
    runner = ActionRunner(the_store(), ResultStore(the_store().root), world)
    return digest_of(runner.run(action, check).result, "tree")


def gate(kind: Kind, backend: str, files: Mapping[str, str]) -> tuple[ActionRunner, Action]:
    world = OneRoot(kind)
    deps = "node_modules" if backend == "node" else "deps"
    action = world.applied(f"gate/{backend}", {"project": tree_of(files), deps: fetched(world, backend)})
    return ActionRunner(the_store(), ResultStore(the_store().root), world, read=False), action


def passed(kind: Kind, backend: str, files: Mapping[str, str]) -> Done:
    runner, action = gate(kind, backend, files)
    return runner.run(action)


def failed(kind: Kind, backend: str, files: Mapping[str, str]) -> tuple[str, str]:
    """Message, and the tools' own words; never kept."""
    runner, action = gate(kind, backend, files)
    with pytest.raises(ActionFailed) as problem:
        runner.run(action)
    kept = ActionRunner(the_store(), ResultStore(the_store().root), OneRoot(kind))
    assert kept.known(action) is None, "a failure was cached"
    return str(problem.value), (problem.value.stdout + problem.value.stderr).decode()


@pytest.mark.parametrize("kind", ISOLATING)
def test_python_gate_passes_and_gives_an_artefact(kind: Kind) -> None:
    done = passed(kind, "python", PYTHON)
    assert "app/tide_table.py" in {entry.path for entry in done.result.tree("artefact").entries}


@pytest.mark.parametrize("kind", ISOLATING)
def test_node_gate_passes_and_gives_an_artefact(kind: Kind) -> None:
    done = passed(kind, "node", NODE)
    assert "dist/main.js" in {entry.path for entry in done.result.tree("artefact").entries}


@pytest.mark.parametrize("backend", ["python", "node"])
def test_artefact_is_the_same_from_either_sandbox(backend: str) -> None:
    files = PYTHON if backend == "python" else NODE
    digests = {digest_of(passed(kind, backend, files).result, "artefact") for kind in ISOLATING}
    assert len(digests) == 1


PYTHON_MISTAKES = {
    "types": ("return self.end + 1", "return self.class_", 'app/tide_table.py:9: error: "TideTable" has no attribute'),
    "format": ("    end: int", "    end:int", "--> app/tide_table.py:6:9"),
    "lint": ("from pydantic", "import os\nfrom pydantic", "F401"),
    "import": ("    HTTPServer: str", '    assert len("class") == 4\n    HTTPServer: str', "AssertionError"),
    "test": ("+ 1", "+ 2", "assert 3 == 2"),
}
UNTYPED_TESTS = {
    "python": (PYTHON, "tests/test_tide_table.py", "end=1", "end=None", 'error: Argument "end" to "TideTable"'),
    "node": (NODE, "test/main.test.ts", "rise(1)", "rise(null)", "test/main.test.ts(5,15): error TS2345"),
}


@pytest.mark.parametrize("backend", UNTYPED_TESTS)
def test_types_of_tests_are_checked(backend: str) -> None:
    project, file, old, new, words = UNTYPED_TESTS[backend]
    message, said = failed("bubblewrap", backend, {**project, file: project[file].replace(old, new)})
    assert "step `types`" in message
    assert words in said


@pytest.mark.parametrize("step", PYTHON_MISTAKES)
def test_seeded_python_mistake_fails_in_the_tools_own_words(step: str) -> None:
    old, new, words = PYTHON_MISTAKES[step]
    files = {**PYTHON, "app/tide_table.py": PYTHON["app/tide_table.py"].replace(old, new)}
    message, said = failed("bubblewrap", "python", files)
    assert f"step `{step}`" in message
    assert words in said


NODE_MISTAKES = {
    "types": ("return end + 1", "return end + class_", "src/main.ts(6,16): error TS2304"),
    "check": ("  return end", "    return end", "src/main.ts"),
    "test": ("end + 1", "end + 2", "expected 3 to be 2"),
}


@pytest.mark.parametrize("step", NODE_MISTAKES)
def test_seeded_node_mistake_fails_in_the_tools_own_words(step: str) -> None:
    old, new, words = NODE_MISTAKES[step]
    files = {**NODE, "src/main.ts": NODE["src/main.ts"].replace(old, new)}
    message, said = failed("bubblewrap", "node", files)
    assert f"step `{step}`" in message
    assert words in said
