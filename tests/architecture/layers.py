"""The house rules about imports, purity and sizes, as functions from a source tree to what breaks them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

from loom.base import circles

ORDER = (
    "base", "parse", "ir", "lower", "validate", "plan", "emit", "backends", "render", "compiler", "build", "e2e",
    "lsp", "tasks", "commands", "cli",
)  # fmt: skip
FIRST_IMPURE = "build"

# What a target may know of the Plan: its types, and what bodies and names in them say. How it is made is not among it.
OFFERED = frozenset(
    f"loom.plan.{name}"
    for name in (
        *("environment", "http", "limits", "model", "names", "queries", "steps", "storage", "unplanned"),
        *("code.refusable", "code.walk"),
    )
)

# What a pure stage may not reach: processes, the network, clocks, randomness, the environment.
FORBIDDEN = frozenset(
    {
        *("asyncio", "multiprocessing", "os", "platform", "shutil", "signal", "subprocess", "tempfile", "threading"),
        *("datetime", "getpass", "glob", "random", "secrets", "time", "uuid"),
        *("docker", "doit", "http", "requests", "socket", "urllib"),
    }
)
FORBIDDEN_CALLS = frozenset({"open", "input", "print", "write_text", "write_bytes", "mkdir", "unlink", "rename"})


@cache
def modules(root: Path, below: str = "loom") -> tuple[tuple[str, Path, ast.Module], ...]:
    """Every module below a folder of ours, read once: dotted name, file, syntax tree. Emitted files are not."""
    return tuple(_modules(root, below))


def _modules(root: Path, below: str) -> Iterator[tuple[str, Path, ast.Module]]:
    for file in sorted((root / below).rglob("*.py")):
        relative = file.relative_to(root)
        if "static" in relative.parts or "templates" in relative.parts:
            continue
        name = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
        yield name, file, ast.parse(file.read_text(encoding="utf-8"))


def room(module: str) -> str:
    """The layer of a dotted module name: its second part."""
    return [*module.split("."), ""][1]


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that `tree` imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module


def upward_imports(root: Path) -> Iterator[str]:
    """Imports against the order of the layers, and of one backend by another."""
    for name, _, tree in modules(root):
        for line, target in imported(tree):
            if not target.startswith("loom."):
                continue
            here, there = room(name), room(target)
            if here in ORDER and there in ORDER and ORDER.index(there) > ORDER.index(here):
                yield f"{name}:{line} imports {target} (upward)"
            if here == there == "backends" and target.count(".") > 1 and target.split(".")[2] != name.split(".")[2]:
                yield f"{name}:{line} imports {target} (another backend)"


def circular_imports(root: Path) -> Iterator[str]:
    """Modules that lead back to themselves, by whatever import: one inside a function or for types alone too."""
    trees = {name: tree for name, _, tree in modules(root)}
    graph = {name: tuple(dict.fromkeys(_leads_to(tree, trees.keys() - {name}))) for name, tree in trees.items()}
    for way in circles(graph):
        yield " imports ".join(way)


def _leads_to(tree: ast.Module, known: AbstractSet[str]) -> Iterator[str]:
    """Modules that `tree` imports; a package from which it takes modules is none of them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for inner in (f"{node.module}.{alias.name}" for alias in node.names):
                if inner in known:
                    yield inner
                elif node.module in known:
                    yield node.module


def taken_from_inside(root: Path) -> Iterator[str]:
    """What a target knows of how a program becomes a Plan, so that it could decide anew what is decided."""
    trees = {name: tree for name, _, tree in modules(root)}
    for name, tree in trees.items():
        if room(name) in ("emit", "backends"):
            for target in _leads_to(tree, trees.keys()):
                if room(target) in ("parse", "lower", "validate") or (room(target) == "plan" and target not in OFFERED):
                    yield f"{name} imports {target} (decided before)"


def impurities(root: Path) -> Iterator[str]:
    """What the layers left of `build` may not do."""
    for name, _, tree in modules(root):
        if room(name) not in ORDER[: ORDER.index(FIRST_IMPURE)]:
            continue
        for line, target in imported(tree):
            if target.split(".")[0] in FORBIDDEN:
                yield f"{name}:{line} imports {target} (not pure)"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) in FORBIDDEN_CALLS:
                yield f"{name}:{node.lineno} calls {called(node)} (not pure)"


def called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def named_backends(root: Path, names: tuple[str, ...]) -> Iterator[str]:
    """A backend's name as a string outside its own folder."""
    for name, _, tree in modules(root):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in names and not name.startswith("loom.backends."):
                yield f"{name}:{node.lineno} names the backend `{node.value}`"


def oversized(root: Path, *, module_lines: int = 400, function_lines: int = 35) -> Iterator[str]:
    """Modules, those of tests too, and functions past the size at which they are split."""
    for name, file, tree in (*modules(root), *modules(root, "tests")):
        lines = len(file.read_text(encoding="utf-8").splitlines())
        if lines > module_lines:
            yield f"{name} has {lines} lines"
        for node in ast.walk(tree) if name.startswith("loom.") else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > function_lines:
                    yield f"{name}:{node.lineno} `{node.name}` has {length} lines"
