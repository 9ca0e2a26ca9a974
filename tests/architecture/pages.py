"""Rules about the pages that people read, and about what CI runs. In: a root. Out: what does not hold, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)[^)]*\)")
# A place of the repository, written out from the root; `<name>` in one stands for many.
_PLACE = re.compile(r"`((?:loom|tests|rules|toolchains)/[\w./-]*)`")
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
# A test that a comment gives as its keeper.
_KEEPER = re.compile(r"\b(tests/[\w/]+\.py)(?:::(\w+))?")

# What services own, and what was generated.
_THEIRS = {"out", "static", "node_modules"}


def pages(root: Path) -> list[Path]:
    below = (page for name in ("loom", "tests", "rules", "toolchains") for page in (root / name).rglob("README.md"))
    return [root / "README.md", *sorted(page for page in below if not _THEIRS & {*page.relative_to(root).parts})]


def dead_places(root: Path) -> Iterator[str]:
    """Links, and places written out from the root, where there is nothing."""
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        links = [(word, page.parent / word) for word in _LINK.findall(text)]
        places = [(word, root / word) for word in _PLACE.findall(text)]
        yield from (f"{page.relative_to(root)}: {word}" for word, place in links + places if not place.exists())


def first_commands(root: Path) -> list[str]:
    """The lines of the README's first block of commands, without their remarks."""
    found = _BLOCK.search((root / "README.md").read_text(encoding="utf-8"))
    return [line.partition("  #")[0].rstrip() for line in found[1].splitlines()] if found else []


def namesakes(root: Path) -> Iterator[str]:
    """Test modules of one name, outside of packages: pytest can import but one of them, and runs nothing at all."""
    known: dict[str, Path] = {}
    for module in sorted((root / "tests").rglob("test_*.py")):
        if (module.parent / "__init__.py").exists() or _THEIRS & {*module.relative_to(root).parts}:
            continue
        first = known.setdefault(module.name, module)
        if first != module:
            yield f"{module.relative_to(root)} has the name of {first.relative_to(root)}"


def lost_keepers(root: Path) -> Iterator[str]:
    """Tests that comments name, and that are not there."""
    for module in sorted((root / "loom").rglob("*.py")):
        if _THEIRS & {*module.relative_to(root).parts}:
            continue
        for name, test in _KEEPER.findall(module.read_text(encoding="utf-8")):
            place = root / name
            if not place.exists() or (test and f"def {test}(" not in place.read_text(encoding="utf-8")):
                yield f"{module.relative_to(root)}: {name}{test and '::'}{test}"
