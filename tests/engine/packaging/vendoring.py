"""What an image is built from without a network: an emitted project, and the packages of its lock in `vendor/`.

In: a workspace and a backend. Out: folders. The packages are fetched once for each lock, like dependencies.
Never: an installed tree where the package manager would have installed it.
"""

from __future__ import annotations

from pathlib import Path

from loom.build.actions.cached import ActionRunner
from loom.build.actions.world import ProjectWorld
from loom.build.deps.locks import lock_tree
from loom.build.rules.apply import apply_rule
from loom.build.rules.load import Rule
from loom.build.rules.model import RuleFile
from loom.build.settings import read_settings
from loom.build.toolchain.toolchain import toolchain
from loom.build.work.emitted import FromStages, emitted_files
from loom.build.workspace import Workspace

RULES = Path(__file__).parent / "rules"


def lay_project(workspace: Workspace, slug: str, folder: Path) -> Path:
    """The deployable as `generate` would write it, modes included: an image shows them to the service's user."""
    for file in emitted_files(FromStages(workspace.products), "emit", slug):
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, encoding="utf-8")
    for place in folder.rglob("*"):
        place.chmod(0o755 if place.is_dir() else 0o644)
    return folder


def fill_vendor(workspace: Workspace, backend: str, folder: Path) -> None:
    """`vendor/` of a project: wheels, or an npm cache."""
    name = f"{backend}-vendor"
    rule = Rule(f"deps/{name}", read_settings(RULES / f"{name}.yaml", RuleFile), RULES / f"{name}.yaml")
    content, project = workspace.content, workspace.project
    chain = toolchain(rule.file.toolchain, project.root)
    action = apply_rule(rule, chain, {"lock": lock_tree(backend, project.root, content)})
    world = ProjectWorld(project, content)
    world.announce(action.toolchain, rule.file.toolchain)
    done = ActionRunner(content, workspace.results, world).run(action)
    [found] = done.result.trees
    fetched = folder / "fetched"
    content.materialise(content.get_tree(found.tree), fetched, writable=True)
    for child in fetched.iterdir():
        child.rename(folder / "vendor" / child.name)
    fetched.rmdir()
