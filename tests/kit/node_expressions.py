"""Expressions in Node services.

In: expressions and locals. Out: a module as the backend writes its own, and what it prints.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from loom.backends.node import spelling
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.types import Types
from loom.backends.node.model import Model
from loom.backends.node.text import shapes
from loom.backends.node.text.imports import Imports
from loom.backends.node.text.modules import laid_out
from loom.build.bridge.dodo import open_workspace
from loom.build.store.tree import Tree
from loom.build.workspace import Workspace
from loom.emit.renderer import Code
from loom.ir.expressions import Expr, Literal
from loom.ir.types import DATETIME
from loom.tasks import compiler
from tests.kit.expression_model import NOW_VALUE
from tests.kit.expression_runs import Outcome, Target, Values, constant, kind_of, lay_out, outcomes, service
from tests.kit.services import node

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
_PACKAGES = (
    "decimal.js",
    "@biomejs/cli-linux-x64",
    "uuidv7",
    "typescript",
    "@typescript/typescript-linux-x64",
    "@types/node",
    "undici-types",
)


class _Constants(NodeRenderer):
    """The language has no literals of instants; tests need them."""

    def literal(self, e: Literal) -> Code:
        return shapes.atom(f"new Date({e.text})") if e.type == DATETIME else super().literal(e)


def module(written_by: type[NodeRenderer], expressions: Sequence[Expr], values: Values) -> str:
    model, imports = Model(service("node")), Imports("batch")
    renderer, constants = written_by(model), _Constants(model)
    needs = renderer.needs
    constants.needs = needs
    typed = Types(needs)
    functions = [
        f"export {shapes.block(f'function case{number}(): {typed.text(e.type)}', [shapes.returned(renderer.code(e))])}"
        for number, e in enumerate(expressions)
    ]
    lines = [
        shapes.assigned(
            f"const {spelling.local_name(name)}: {typed.text(type_)}", constants.code(constant(value, type_))
        )
        for name, (type_, value) in values.items()
    ]
    imports.needs(needs)
    return laid_out("\n\n".join([imports.text(), "\n".join(lines), *functions]) + "\n")


@cache
def packages() -> tuple[Workspace, Tree]:
    """What node services need, as the build fetches it."""
    done = subprocess.run(
        [sys.executable, "-m", "doit", "deps:node"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    workspace = open_workspace(ROOT / "examples", compiler)
    return workspace, workspace.content.get_tree(workspace.actions.output("deps/node", ""))


def prepare(folder: Path) -> None:
    lay_out("node", folder)
    workspace, tree = packages()
    for name in _PACKAGES:
        workspace.content.materialise(tree.below(name), folder / "node_modules" / name, writable=True)
    for name in ("show.ts", "typescript.mjs"):
        shutil.copy(PROGRAMS / name, folder)


def run(folder: Path, text: str, expressions: Sequence[Expr]) -> list[Outcome]:
    cases = ", ".join(f"[case{n}, {json.dumps(kind_of(e.type, lambda name: name))}]" for n, e in enumerate(expressions))
    (folder / "batch.ts").write_text(
        f"{text}\nexport const NOW = {NOW_VALUE};\nexport const CASES = [{cases}];\n", encoding="utf-8"
    )
    return outcomes(
        [node(), "--disable-warning=ExperimentalWarning", "--import", "./typescript.mjs", "show.ts"], folder
    )


def unformatted(folder: Path, text: str) -> str:
    (folder / "src/module.ts").write_text(text, encoding="utf-8")
    command = ["node_modules/@biomejs/cli-linux-x64/biome", "format", "--max-diagnostics=200", "src/module.ts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def mistyped(folder: Path, text: str) -> str:
    """What the type checker says about a module, with the settings of a service."""
    (folder / "src/batch.ts").write_text(text.replace("'./src/", "'./"), encoding="utf-8")
    command = ["node_modules/@typescript/typescript-linux-x64/lib/tsc", "--noEmit", "--pretty", "false"]
    done = subprocess.run(
        [*command, "--noUnusedLocals", "false"], cwd=folder, capture_output=True, text=True, check=False
    )
    # The service around it lacks its dependencies here.
    own = [line for line in done.stdout.splitlines() if line.startswith("src/batch.ts")]
    return "\n".join(own) + done.stderr


NODE = Target("node", NodeRenderer, module, prepare, run, unformatted)
