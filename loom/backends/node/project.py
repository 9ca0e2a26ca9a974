"""The files around the sources: package, image, documentation, migrations, and the runtime that never changes.

In: a ServicePlan and the dependency lock. Out: files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from loom.emit import DepsLock, File
from loom.plan.model import ServicePlan

STATIC = Path(__file__).with_name("static")
# Modules of which only the functions that a service uses are emitted.
LIBRARIES = "src/domain/values/"
# Modules that only some services need; whoever imports them has them emitted.
ON_DEMAND = ("src/db/rows.ts", "src/domain/values/collections.ts", "src/domain/values/texts.ts")
SCRIPTS = {
    "build": "tsc --project tsconfig.json",
    "start": "node dist/main.js",
    "test": "vitest run",
    "check": "biome check && tsc --project tsconfig.json --noEmit",
}


@cache
def static_files() -> tuple[tuple[str, str], ...]:
    paths = (path for path in STATIC.rglob("*") if path.is_file())
    return tuple(sorted((path.relative_to(STATIC).as_posix(), path.read_text(encoding="utf-8")) for path in paths))


def package_json(plan: ServicePlan, lock: DepsLock) -> str:
    """The service's own manifest, with the locked versions."""
    locked = json.loads(lock.text("package.json"))
    manifest = {
        "name": plan.slug.replace("_", "-"),
        "version": "1.0.0",
        "private": True,
        "type": "module",
        "engines": locked["engines"],
        "scripts": SCRIPTS,
        "dependencies": locked["dependencies"],
        "devDependencies": locked["devDependencies"],
    }
    return json.dumps(manifest, indent=2) + "\n"


def package_lock(plan: ServicePlan, lock: DepsLock) -> str:
    """The lock under the service's name: the dependencies are the locked ones, byte for byte."""
    data = json.loads(lock.text("package-lock.json"))
    name = plan.slug.replace("_", "-")
    data["name"] = data["packages"][""]["name"] = name
    data["version"] = data["packages"][""]["version"] = "1.0.0"
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def migrations(plan: ServicePlan) -> Iterator[File]:
    for context in plan.contexts:
        for item in context.migrations:
            yield File(path=f"migrations/{context.name}/{item.version}_{item.name}.sql", text=item.sql)


def runtime(emitted: Iterable[File]) -> Iterator[File]:
    """What does not depend on the model, less what this service has no use for."""
    texts = [file.text for file in emitted]
    rest = dict(static_files())
    always = {path: text for path, text in rest.items() if not path.startswith(LIBRARIES) and path not in ON_DEMAND}
    yield from (File(path=path, text=text) for path, text in always.items())
    yield from _used(rest, [*texts, *always.values()])


_IMPORT = re.compile(r"^import (?:type )?\{([^}]*)\} from '([^']+)';$", re.MULTILINE)


def _used(rest: dict[str, str], texts: list[str]) -> Iterator[File]:
    """The on-demand modules that are imported, each cut down to what is."""
    libraries = {path: text for path, text in rest.items() if path.startswith(LIBRARIES) or path in ON_DEMAND}
    wanted: dict[str, set[str]] = {path: set() for path in libraries}
    pending = list(texts)
    while pending:
        for names, module in _IMPORT.findall(pending.pop()):
            for path in libraries:
                if path.rsplit("/", 1)[-1] == module.rsplit("/", 1)[-1].replace(".js", ".ts"):
                    new = {name.strip().removeprefix("type ") for name in names.split(",")} - {""} - wanted[path]
                    if new:
                        wanted[path] |= new
                        pending.append(pruned(libraries[path], wanted[path]))
    for path, names in wanted.items():
        if names:
            yield File(path=path, text=pruned(libraries[path], names))


def pruned(text: str, names: set[str]) -> str:
    """A module with the declarations called `names`, and all that they use."""
    head, blocks = _blocks(text)
    kept: set[str] = set()
    pending = sorted(names)
    while pending:
        name = pending.pop()
        if name in kept:
            continue
        kept |= {name}
        for block_name, block in blocks:
            if block_name == name:
                pending += [other for other, _ in blocks if other != name and re.search(rf"\b{other}\b", block)]
    body = [block for name, block in blocks if name in kept]
    return _imports(head, "\n".join(body)) + "\n\n".join(body) + "\n"


_DECLARED = re.compile(r"^(?:export )?(?:const|function|type|interface) (\w+)", re.MULTILINE)


def _blocks(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The import block, and each top-level declaration with its comment."""
    parts = text.rstrip("\n").split("\n\n")
    head = "\n".join(parts.pop(0) for _ in range(1) if parts[0].startswith("import "))
    blocks: list[tuple[str, str]] = []
    for part in _joined(parts):
        match = _DECLARED.search(part)
        assert match is not None, part
        blocks.append((match[1], part))
    return head, blocks


def _joined(parts: list[str]) -> Iterator[str]:
    """Declarations that a blank line inside has cut apart are put together again; constants stand alone."""
    whole = ""
    for part in parts:
        whole = f"{whole}\n\n{part}" if whole else part
        if whole.count("{") == whole.count("}"):
            yield from _constants(whole)
            whole = ""


def _constants(part: str) -> Iterator[str]:
    lines = part.split("\n")
    if all(line.startswith(("const ", "type ", "export const ", "export type ")) for line in lines):
        yield from lines
    else:
        yield part


def _imports(head: str, body: str) -> str:
    kept = []
    for match in _IMPORT.finditer(head):
        names = [name.strip() for name in match[1].split(",") if name.strip()]
        used = [name for name in names if re.search(rf"\b{name.split(' ')[-1]}\b", body)]
        if used:
            kind = "import type" if match[0].startswith("import type") else "import"
            kept.append(f"{kind} {{ {', '.join(used)} }} from '{match[2]}';")
    return "\n".join(kept) + "\n\n" if kept else ""
