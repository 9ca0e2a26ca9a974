"""The task that writes the output folders from what `emit` and `render` gave.

In: a workspace. Out: the work of `generate`. Never: a file that somebody edited, unless they said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from loom.build.output.content import MANIFEST, OutputContent, OutputFile, OutputFolder
from loom.build.output.memory import is_settled
from loom.build.phases import phase
from loom.build.project.settings import Project, System
from loom.build.state import Known
from loom.build.work.emitted import (
    Emitted,
    FromStages,
    FromStore,
    Written,
    emitted_bytes,
    listed_files,
    standing_keys,
    written_steps,
)
from loom.build.work.work import How, Options, Outcome
from loom.build.workspace import Workspace, combined

GENERATE = "generate"
"""The name of the task."""


class GenerateWork(NamedTuple):
    """`tasks` maps stages whose output is written to the names of their tasks, `{}` standing for the unit."""

    workspace: Workspace
    name: str
    tasks: tuple[tuple[str, str], ...]

    def known(self) -> Known | None:
        return self.workspace.recall(self.name, self._known)

    def missing(self) -> str:
        known = self.known()
        return unsettled(self.workspace.project, known.key if known else "")

    def replay(self) -> str:
        return ""

    def run(self, options: Options) -> Outcome:
        restored = self._put_back(options)
        if restored is not None:
            return restored
        known = self._known()
        written = self._write(FromStages(self.workspace.products), known.key, options)
        return Outcome(self._how(), self.workspace.remember(self.name, known), written)

    def _put_back(self, options: Options) -> Outcome | None:
        """Nothing but the output folders has changed, so that only the stores are asked; None where they cannot tell.

        kept by tests/engine/core/test_doit.py::test_lost_output_is_put_back_without_the_compiler
        """
        known = self.workspace.done(self.name)
        keys = standing_keys(known, self._all_steps()) if known is not None else None
        if known is None or keys is None:
            return None
        try:
            written = self._write(FromStore(self.workspace.stored, keys), known.key, options)
            return Outcome("restored", self.workspace.remember(self.name, known), written)
        except LookupError:  # what the store has lost is made again
            return None

    def _write(self, emitted: Emitted, key: str, options: Options) -> str:
        """What there is to tell of it."""
        from loom.build.output.write import write_outputs
        from loom.build.store.locks import held
        from loom.build.work.former import FormerFolders

        project, systems = self.workspace.project, self.workspace.project.systems
        wanted = [(output_folder(project, system), self._content(emitted, system, key)) for system in systems]
        with held(str(project.state / "output"), "lock"):
            former = FormerFolders(project)
            former.record()
            with phase("write"):
                done = write_outputs(wanted, overwrite=options.overwrite)
            left = former.leave(wanted)
        kept = [path for written in done for path in written.kept]
        text = "".join(f"kept {path}: nothing makes it any more, but it was edited\n" for path in kept)
        text += "".join(
            f"{system.out}/{MANIFEST} could not be read: it was written anew, from what was known of the last run\n"
            for system, written in zip(systems, done, strict=True)
            if written.mended
        )
        return (
            left
            + text
            + "".join(
                f"overwrote {system.out}/{path}: it {reason}\n"
                for system, written in zip(systems, done, strict=True)
                for path, reason in written.lost.items()
            )
        )

    def _how(self) -> How:
        """Writing files is no work of a stage: it counts as run only when a stage did."""
        products = self.workspace.products
        steps = (products.step(step.stage, step.unit) for step in self._all_steps())
        return "ran" if any(step.how == "ran" for step in steps) else "restored"

    def clean(self, *, dryrun: bool) -> str:
        """Takes away what was written; the text counts what went, and names each file that stays or would go."""
        from loom.build.work.former import FormerFolders

        project = self.workspace.project
        former = FormerFolders(project)
        places = [(system.out, output_folder(project, system)) for system in project.systems]
        return "".join(_cleaned(out, folder, dryrun=dryrun) for out, folder in [*places, *former.places()])

    def preimages(self) -> dict[str, bytes]:
        products = self.workspace.products
        return {step.task: products.preimage(step.stage, step.unit) for step in self._all_steps()}

    def _known(self) -> Known:
        products = self.workspace.products
        steps = self._all_steps()
        entries = tuple((step.task, products.step(step.stage, step.unit).key) for step in steps)
        places = [f"{step.folder} {key}" for step, (_, key) in zip(steps, entries, strict=True)]
        return Known(combined([*places, *(system.out for system in self.workspace.project.systems)]), 0, entries)

    def _all_steps(self) -> list[Written]:
        return [step for system in self.workspace.project.systems for step in self._steps(system)]

    def _steps(self, system: System) -> Iterator[Written]:
        return written_steps(self.workspace.outline, system, dict(self.tasks))

    def _content(self, emitted: Emitted, system: System, key: str) -> OutputContent:
        files: dict[str, OutputFile] = {}
        places: dict[str, tuple[Written, int]] = {}
        keys: dict[str, str] = {}
        for step in self._steps(system):
            keys[step.task] = emitted.step(step.stage, step.unit).key
            offset = 0
            for file in listed_files(emitted, step.stage, step.unit):
                files[step.folder + file.path] = OutputFile(file.sha256, file.size, file.executable, step.task)
                places[file.sha256] = step, offset
                offset += file.size

        contents = cache(partial(emitted_bytes, emitted))

        def read(sha256: str, size: int) -> bytes:
            step, offset = places[sha256]
            return contents(step.stage, step.unit)[offset : offset + size]

        return OutputContent(files, keys, key, read)


def _cleaned(out: str, folder: OutputFolder, *, dryrun: bool) -> str:
    from loom.build.output.clean import clean_output

    done = clean_output(folder, dryrun=dryrun)
    if dryrun:
        lines = [f"would remove {out}/{path}\n" for path in done.removed]
    else:
        lines = [f"removed from {out}: {len(done.removed)} files\n"]
    lines += [f"{'would keep' if dryrun else 'kept'} {out}/{path}: it was edited\n" for path in done.kept]
    return "".join(lines)


def unsettled(project: Project, key: str) -> str:
    """Why the output folders may not hold what `generate` gives with that key; empty when they do."""
    found = (is_settled(output_folder(project, system), key) for system in project.systems)
    return next(filter(None, found), "")


def output_folder(project: Project, system: System) -> OutputFolder:
    """Where the files of a system go, and where what is known of them is kept."""
    return OutputFolder(project.root / system.out, project.state / "output" / f"{system.name}.marshal")
