"""The task that writes the output folders from what `emit` and `render` gave.

In: a workspace. Out: the work of `generate`. Never: a file that somebody edited, unless they said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from loom.build.output.content import OutputContent, OutputFile, OutputFolder
from loom.build.output.memory import is_settled
from loom.build.project.settings import Project, System
from loom.build.state import Known
from loom.build.work.work import How, Options, Outcome
from loom.build.workspace import Workspace, combined

if TYPE_CHECKING:
    from loom.base.files import ListedFile
    from loom.build.steps.products import StoredProducts


class EmittedFile(NamedTuple):
    path: str
    text: str
    executable: bool


class Written(NamedTuple):
    """One step whose files go below `folder` (empty for the output folder itself)."""

    task: str
    stage: str
    unit: str
    folder: str


class GenerateWork(NamedTuple):
    """`tasks` maps stages whose output is written to the names of their tasks, `{}` standing for the unit."""

    workspace: Workspace
    name: str
    tasks: tuple[tuple[str, str], ...]

    def known(self) -> Known | None:
        return self.workspace.recall(self.name, self._known)

    def missing(self) -> str:
        found = (is_settled(output_folder(self.workspace.project, system)) for system in self.workspace.project.systems)
        return next(filter(None, found), "")

    def replay(self) -> str:
        return ""

    def run(self, options: Options) -> Outcome:
        from loom.build.output.write import write_outputs
        from loom.build.store.locks import held

        systems = self.workspace.project.systems
        wanted = [(output_folder(self.workspace.project, system), self._content(system)) for system in systems]
        with held(str(self.workspace.project.state / "output"), "lock"):
            done = write_outputs(wanted, overwrite=options.overwrite)
        kept = [path for written in done for path in written.kept]
        text = "".join(f"kept {path}: nothing makes it any more, but it was edited\n" for path in kept)
        text += "".join(
            f"overwrote {system.out}/{path}: it {reason}\n"
            for system, written in zip(systems, done, strict=True)
            for path, reason in written.lost.items()
        )
        return Outcome(self._how(), self.workspace.remember(self.name, self._known()), text)

    def _how(self) -> How:
        """Writing files is no work of a stage: it counts as run only when a stage did."""
        products = self.workspace.products
        steps = [step for system in self.workspace.project.systems for step in self._steps(system)]
        return "ran" if any(products.step(step.stage, step.unit).how == "ran" for step in steps) else "restored"

    def clean(self, *, dryrun: bool) -> str:
        """Takes away what was written; the text counts what went, and names each file that stays or would go."""
        from loom.build.output.clean import clean_output

        lines = []
        for system in self.workspace.project.systems:
            done = clean_output(output_folder(self.workspace.project, system), dryrun=dryrun)
            if dryrun:
                lines += [f"would remove {system.out}/{path}\n" for path in done.removed]
            else:
                lines += [f"removed from {system.out}: {len(done.removed)} files\n"]
            lines += [
                f"{'would keep' if dryrun else 'kept'} {system.out}/{path}: it was edited\n" for path in done.kept
            ]
        return "".join(lines)

    def preimages(self) -> dict[str, bytes]:
        products = self.workspace.products
        steps = [step for system in self.workspace.project.systems for step in self._steps(system)]
        return {step.task: products.preimage(step.stage, step.unit) for step in steps}

    def _known(self) -> Known:
        products = self.workspace.products
        systems = self.workspace.project.systems
        steps = [step for system in systems for step in self._steps(system)]
        entries = tuple((step.task, products.step(step.stage, step.unit).key) for step in steps)
        places = [f"{step.folder} {key}" for step, (_, key) in zip(steps, entries, strict=True)]
        return Known(combined([*places, *(system.out for system in systems)]), 0, entries)

    def _steps(self, system: System) -> Iterator[Written]:
        products = self.workspace.products
        for stage, task in self.tasks:
            if products.stage(stage).per == "system":
                yield Written(task, stage, system.name, "")
                continue
            for deployed in products.deployables:
                if deployed.system == system.name:
                    yield Written(task.format(deployed.slug), stage, deployed.slug, f"{deployed.slug}/")

    def _content(self, system: System) -> OutputContent:
        products = self.workspace.products
        files: dict[str, OutputFile] = {}
        places: dict[str, tuple[Written, int]] = {}
        keys: dict[str, str] = {}
        for step in self._steps(system):
            keys[step.task] = products.step(step.stage, step.unit).key
            offset = 0
            for file in listed_files(products, step.stage, step.unit):
                files[step.folder + file.path] = OutputFile(file.sha256, file.size, file.executable, step.task)
                places[file.sha256] = step, offset
                offset += file.size

        def read(sha256: str, size: int) -> bytes:
            step, offset = places[sha256]
            return _content(products, step.stage, step.unit)[offset : offset + size]

        return OutputContent(files, keys, read)


def output_folder(project: Project, system: System) -> OutputFolder:
    """Where the files of a system go, and where what is known of them is kept."""
    return OutputFolder(project.root / system.out, project.state / "output" / f"{system.name}.marshal")


def listed_files(products: StoredProducts, stage: str, unit: str) -> tuple[ListedFile, ...]:
    """The files of a stage whose output is written, without their bytes."""
    from loom.base.files import Listing

    listing = products.value(products.part(stage, unit, "listing"))
    if not isinstance(listing, Listing):
        raise TypeError(f"{stage} has no files to write")
    return listing.files


def emitted_files(products: StoredProducts, stage: str, unit: str) -> Iterator[EmittedFile]:
    """The same, with their texts."""
    content, offset = _content(products, stage, unit), 0
    for file in listed_files(products, stage, unit):
        yield EmittedFile(file.path, content[offset : offset + file.size].decode(), file.executable)
        offset += file.size


def _content(products: StoredProducts, stage: str, unit: str) -> bytes:
    content = products.value(products.part(stage, unit, "content"))
    assert isinstance(content, bytes)
    return content
