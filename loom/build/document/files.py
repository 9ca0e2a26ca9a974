"""What `loom doc` writes: a page for each system, and a file for each of its pictures.

In: a workspace, a folder. Out: the paths that were written. Never: a file replaced that another hand wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loom.build.document.mermaid import HEAD as MERMAID_HEAD
from loom.build.document.mermaid import mermaid
from loom.build.document.model import Model, model_of
from loom.build.document.page import HEAD, diagrams, page
from loom.build.project.problem import ProjectProblem
from loom.build.workspace import Workspace


def write_pages(workspace: Workspace, folder: Path) -> tuple[Path, ...]:
    """ProjectProblem, with nothing written, when the model has mistakes or a file is somebody else's."""
    outline = workspace.outline
    if mistakes := workspace.mistakes():
        raise ProjectProblem(f"the model has mistakes\n{mistakes}")
    found: dict[Path, str] = {}
    for name, _ in outline.systems:
        found |= {folder / path: text for path, text in texts(name, model_of(workspace.products, name))}
    for path in found:
        if path.exists() and not path.read_text("utf-8", "replace").startswith((HEAD, MERMAID_HEAD)):
            raise ProjectProblem(f"{path} was not written by `loom doc`: move it, or name another folder")
    for path, text in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tuple(found)


def texts(system: str, model: Model) -> Iterator[tuple[str, str]]:
    """The files of one system, by paths below the folder."""
    yield f"{system}.html", page(model)
    for diagram in diagrams(model):
        yield f"{system}/{diagram.name}.mmd", mermaid(diagram)
