"""`loom rules show`, `loom toolchain ...` and `loom deps update`: what is in force here, as text.

In: a project and a name. Out: text, or a lock or a root made on demand.
Never: a traceback for what a person can mend.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loom.build.actions.cached import ActionFailed
from loom.build.data import data_folders
from loom.build.deps.update import update_deps
from loom.build.project import Project, ProjectProblem
from loom.build.project.problem import NothingBegun, Unable
from loom.build.rules.load import rule
from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.job import SandboxError
from loom.build.store.content import ContentStore
from loom.build.toolchain.lock import lock_toolchain
from loom.build.toolchain.relock import root_or_relocked
from loom.build.toolchain.toolchain import Toolchain, toolchain
from loom.build.toolchain.trouble import FetchError, RootError


def rule_text(project: Project, name: str) -> str:
    """The rule in force as it is written, below the file it is from."""
    found = rule(name, project.root)
    return f"# {found.path}\n{found.path.read_text(encoding='utf-8')}"


def toolchain_text(project: Project, name: str) -> str:
    """Where a toolchain is from, and what decides its identity."""
    chain = _chain(project, name)
    overlays = [wheel for overlay in chain.file.overlays for wheel in overlay.wheels]
    lines = [f"{chain.name} {chain.file.version}", f"from {chain.folder}", f"provider {chain.provider}"]
    lines += [f"overlays {', '.join(overlays)}"] if overlays else []
    return "\n".join([*lines, f"identity {chain.identity}", ""])


def toolchain_lock(project: Project, name: str) -> str:
    """Resolves the names of a toolchain to digests; says why a provider was left out."""
    for folder in data_folders("toolchains", project.root):
        if (folder / name / "toolchain.yaml").is_file():
            with _plainly():
                _, skipped = lock_toolchain(folder / name, ContentStore(project.store))
            return "".join(f"left out {reason}\n" for reason in skipped) + f"wrote {folder / name / 'lock.yaml'}\n"
    raise NothingBegun(f"there is no toolchain `{name}`")


def toolchain_build(project: Project, name: str) -> str:
    """Makes the root from the lock alone."""
    with _plainly():
        sandbox = choose_sandbox(project.sandbox)
        store = ContentStore(project.store)
        root, warning = root_or_relocked(name, project.root, project.provider(name), store, sandbox)
    return f"{warning}\n{root.folder}\n".lstrip()


def deps_update(project: Project, backend: str) -> str:
    """Resolves what a backend's services depend on, and pins it."""
    with _plainly():
        sandbox = choose_sandbox(project.sandbox)
        written = update_deps(backend, project.root, ContentStore(project.store), sandbox)
    return "".join(f"wrote {path}\n" for path in written)


def _chain(project: Project, name: str) -> Toolchain:
    return toolchain(name, project.root, project.provider(name))


@contextmanager
def _plainly() -> Iterator[None]:
    try:
        yield
    except (FetchError, RootError, SandboxError) as error:
        raise Unable(str(error)) from error
    except ActionFailed as failed:
        said = (failed.stdout + failed.stderr).decode(errors="replace")
        raise ProjectProblem(f"{failed}\n{said}".rstrip()) from failed
