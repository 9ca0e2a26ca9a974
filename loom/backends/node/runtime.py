"""The part of a service that no model changes, less what this service has no use for.

In: the emitted modules. Out: the static files, each module cut down to the declarations that something imports.
Never: a change to a declaration. A static module is blocks with blank lines between them, one declaration each
(kept by tests/unit/backends/node/test_runtime.py).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from loom.backends.node.text.modules import laid_out
from loom.backends.node.text.shapes import braces
from loom.emit import File
from loom.emit.project import static_files

STATIC = Path(__file__).with_name("static")
ROOT = "src/main.ts"
# What begins with a letter is found at once; whether a line or a word begins there is looked at afterwards.
_IMPORT = re.compile(r"import (?<=^import )(type )?(?:\{([^}]*)\}|\* as (\w+)|(\w+)) from '([^']+)';$", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:export )?(?:abstract )?(?:declare )?(?:async )?(?:const|function\*?|type|interface|class) (\w+)", re.MULTILINE
)

_VALUES = re.compile(r"src/domain/[\w-]+/values\.ts|src/domain/shared/functions\.ts")
_FREE = re.compile(r"\b(?:(?<!\.)|(?<=\.\.\.))\w+\b(?!\??:)", re.ASCII)
_COMMENT = re.compile(r"/\*\*.*?\*/|^\s*// .*?$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A top-level declaration with its comment; without a name it is a statement, which stays."""

    name: str
    text: str


def with_runtime(emitted: Sequence[File]) -> Iterator[File]:
    """The emitted modules and the static files; of values and the HTTP side, too, only what is imported is kept.

    Emitted modules are not laid out yet.
    """
    files = static_files(STATIC)
    modules = {path: text for path, text in files.items() if path.endswith(".ts") and not path.endswith(".d.ts")}
    modules |= {file.path: file.text for file in emitted if _is_prunable(file.path)}
    roots = [file for file in emitted if not _is_prunable(file.path)]
    yield from roots
    for path, text in _pruned_modules(modules, roots):
        yield File(path=path, text=with_imports(text) if path in files else text)
    for path in files.keys() - modules.keys():
        yield File(path=path, text=files[path])


def with_imports(text: str) -> str:
    """A static module, of which pruning leaves only the imports to lay out."""
    head, gap, body = text.partition("\n\n")
    return laid_out(head) + gap + body if head.startswith("import ") else text


def _is_prunable(path: str) -> bool:
    """Emitted modules that are blocks with blank lines between them: of the HTTP side, and values and functions."""
    return (path.startswith("src/http/") and path != "src/http/index.ts") or bool(_VALUES.fullmatch(path))


def _pruned_modules(modules: dict[str, str], emitted: Sequence[File]) -> Iterator[tuple[str, str]]:
    wanted = _Wanted(modules)
    wanted.read(ROOT, modules[ROOT])
    for file in emitted:
        if file.path.endswith(".ts"):
            wanted.read(file.path, file.text)
    wanted.read_all()
    yield ROOT, modules[ROOT]
    for path, names in wanted.names.items():
        if names:
            yield path, pruned(modules[path], names)


class _Wanted:
    """Which declarations of each module are imported.

    Modules of which more is wanted than has been looked at wait in `grown`, so that one that many import is cut down
    once for all of them.
    """

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules
        self.names: dict[str, frozenset[str]] = dict.fromkeys(modules, frozenset())
        self.grown: dict[str, None] = {}

    def read(self, importer: str, text: str) -> None:
        for path, names in _imported(importer, text):
            if path in self.names and not names <= self.names[path]:
                self.names[path] |= names
                self.grown[path] = None

    def read_all(self) -> None:
        while self.grown:
            path = next(iter(self.grown))
            del self.grown[path]
            self.read(path, pruned(self.modules[path], self.names[path]))


@lru_cache(1 << 11)
def _imported(importer: str, text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Own modules that `text` imports, and which of their declarations it uses; services share most texts."""
    folder = posixpath.dirname(importer)
    head = text.partition("\n\n")[0]
    found = [match for match in _IMPORT.finditer(head) if match[5].startswith(".")]
    return tuple((_path(folder, match[5]), _used(match, text)) for match in found)


@lru_cache(1 << 11)
def _path(folder: str, module: str) -> str:
    return posixpath.normpath(posixpath.join(folder, module)).removesuffix(".js") + ".ts"


def _used(imported: re.Match[str], text: str) -> frozenset[str]:
    if imported[3]:
        return frozenset(re.findall(rf"{imported[3]}\.(?<!\w{imported[3]}\.)(\w+)", text))
    return frozenset(name.strip().removeprefix("type ") for name in imported[2].split(",") if name.strip())


@lru_cache(1 << 8)
def pruned(text: str, names: frozenset[str]) -> str:
    """A module with the declarations called `names` and all that they use; most services use the same."""
    head, blocks = blocks_of(text)
    used = _used_by(text)
    declared = frozenset(used)
    kept = declared & {"", *names}
    pending = list(kept)
    while pending:
        more = (used[pending.pop()] & declared) - kept
        kept |= more
        pending += more
    imports = _needed(head, frozenset[str]().union(*(used[name] for name in kept)))
    body = "\n\n".join([block.text for block in blocks if block.name in kept])
    return f"{imports}\n\n{body}\n" if imports else f"{body}\n"


@lru_cache(1 << 8)
def _used_by(text: str) -> dict[str, frozenset[str]]:
    """The words of all that a module declares by one name."""
    used: dict[str, frozenset[str]] = {}
    for name, declaration in blocks_of(text)[1]:
        words = _words(declaration)
        used[name] = used[name] | words if name in used else words
    return used


@lru_cache(1 << 11)
def _words(text: str) -> frozenset[str]:
    """What the code may mean by itself: no word of a comment, no member of something, no key of an object or type."""
    code = _COMMENT.sub("", text) if "/**" in text or "// " in text else text
    return frozenset(_FREE.findall(code))


@lru_cache(1 << 8)
def blocks_of(text: str) -> tuple[str, tuple[Block, ...]]:
    """The import block, and everything after it."""
    parts = text.rstrip("\n").split("\n\n")
    head = parts.pop(0) if _IMPORT.match(parts[0]) else ""
    blocks = []
    whole = ""
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        whole = f"{whole}\n\n{part}" if whole else part
        if not following.startswith((" ", "}", ")")):
            match = _DECLARED.search(whole)
            blocks.append(Block(match[1] if match else "", whole))
            whole = ""
    return head, tuple(blocks)


def _needed(head: str, words: frozenset[str]) -> str:
    """The imports of `head` of which the body, which consists of these `words`, has need."""
    kept = []
    for match in _IMPORT.finditer(head):
        if match[2] is None:
            kept += [match[0]] if (match[3] or match[4]) in words else []
            continue
        names = [name.strip() for name in match[2].split(",") if name.strip().split(" ")[-1] in words]
        if names:
            is_erased = bool(match[1]) or all(name.startswith("type ") for name in names)
            names = [name.removeprefix("type ") for name in names] if is_erased else names
            kept.append(f"import {'type ' if is_erased else ''}{braces(names)} from '{match[5]}';")
    return "\n".join(kept)
