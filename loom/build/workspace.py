"""A project, its stores and its state, opened as far as a run needs them.

In: a project and a way to get the compiler. Out: outline, products, keys.
Never: the compiler, pydantic or the stores when nothing has changed since the last run.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from loom.build.data import PACKAGE, data_folders
from loom.build.installed import installed
from loom.build.itself import own_stamps
from loom.build.project.problem import SettingsError
from loom.build.project.settings import Project, System, own_folders
from loom.build.stamps import Stamp, folder_stamps, stamp
from loom.build.state import Known, Outline, State, load_state, save_state
from loom.build.store.results import ResultStore
from loom.build.work.busy import Busy

if TYPE_CHECKING:
    from loom.base import Diagnostic
    from loom.base.pipeline import Input, Pipeline
    from loom.build.actions.inputs import Actions
    from loom.build.actions.provided import Provided
    from loom.build.actions.templates import Templates
    from loom.build.housekeeping.lease import Lease
    from loom.build.remote.cache import RemoteCache
    from loom.build.remote.execution.executor import Executor
    from loom.build.steps.code import Code
    from loom.build.steps.products import StoredProducts
    from loom.build.steps.step import StoredSteps
    from loom.build.store.content import ContentStore


class Workspace:
    """`provided` teaches rules trees of their own: the files that a name means for a deployable.

    `read` is false when a person asked for everything to be done anew (`-a`, `LOOM_CACHE=write`); `at_once` is how
    many actions may run on this machine at once while others run elsewhere. `wary` is set where only the status is
    asked for: a run meets the mistakes of the model before whatever needs it, a status has to look for them.
    """

    def __init__(self, project: Project, compiler: Callable[[], Pipeline]) -> None:
        self.project = project
        self.read = os.environ.get("LOOM_CACHE", "") != "write"
        self.provided: dict[str, Provided] = {}
        self._compiler = compiler
        self._stamps: dict[str, Stamp] = {}
        self._known: dict[str, Known] = {}
        self._ran: dict[str, Known] = {}
        self._lock = threading.RLock()
        self._reported = False
        self.disturbed = False
        self.at_once = 1
        self.wary = False
        self.busy = Busy()
        self.lease: Lease | None = None

    @property
    def _state_path(self) -> str:
        return str(self.project.state / "state.marshal")

    @cached_property
    def _settings(self) -> tuple[str, ...]:
        project = self.project
        choices = (f"{name}={provider}" for name, provider in project.toolchains)
        flags = repr((project.systems, project.locked, project.may_lose_data, project.remote.believed))
        # Another installation of Loom may be at work here next, whose files nobody has stamped.
        # kept by tests/engine/housekeeping/test_why.py::test_stage_of_loom_is_a_root_cause_too
        own = (str(PACKAGE), *installed(), str(project.root), str(project.store), project.sandbox)
        return (*own, *choices, flags)

    @cached_property
    def last(self) -> State | None:
        """What the last run knew, whether or not it still holds."""
        atexit.register(self._save)
        return load_state(self._state_path)

    @cached_property
    def state(self) -> State | None:
        """The same, if all of it still holds."""
        return self.last if self.last is not None and self.last.holds(self._settings) else None

    @cached_property
    def outline(self) -> Outline:
        return self.state.outline if self.state else self._outlined()

    def _outlined(self) -> Outline:
        """SettingsError when a system has no entry file: its output would otherwise be taken for stale."""
        products = self.products
        for system in self.project.systems:
            if products.source(system.entry) is None:
                raise self._without_entry(system)
        return Outline(
            stages=tuple((stage.name, stage.per) for stage in products.stages()),
            files=products.files,
            systems=tuple((system.name, system.out) for system in self.project.systems),
            deployables=tuple((one.slug, one.backend, one.system) for one in products.deployables),
            gates=self._gates(),
        )

    def _without_entry(self, system: System) -> SettingsError:
        from loom.base import nearest
        from loom.build.project.load import FILE
        from loom.build.settings import wrong_settings

        text = (self.project.root / FILE).read_text("utf-8-sig")
        near = nearest(system.entry, self._names())
        hint = f"did you mean `{near}`?" if near else "write it relative to loom.yaml, or make it"
        what = f"there is no file `{system.entry}`"
        return wrong_settings(text, FILE, [(("systems", system.name, "entry"), what, hint)])

    def _gates(self) -> tuple[tuple[str, bool], ...]:
        backends = sorted({deployed.backend for deployed in self.products.deployables})
        folders = [folder / "gate" for folder in data_folders("rules", self.project.root)]
        found = [name for name in backends if any((folder / f"{name}.yaml").exists() for folder in folders)]
        return tuple((name, self._takes_deps(name)) for name in found)

    def _takes_deps(self, backend: str) -> bool:
        sources = dict(self.templates.sources(f"gate/{backend}"))
        return f"deps/{backend}" in sources.values()

    @cached_property
    def results(self) -> ResultStore:
        from loom.build.trust.believed import Believed

        return ResultStore(self.project.store, Believed(self.project.remote, self.project.root))

    @cached_property
    def content(self) -> ContentStore:
        from loom.build.housekeeping.lease import share
        from loom.build.store.content import ContentStore

        self.lease = share(self.project.store)
        return ContentStore(self.project.store)

    @cached_property
    def stored(self) -> StoredSteps:
        """Steps by their keys, without the compiler."""
        from loom.build.steps.step import StoredSteps

        return StoredSteps(self.content, self.results)

    @cached_property
    def shared(self) -> RemoteCache | None:
        """Where others keep results, if the project names such a place."""
        if not self.project.remote.cache:
            return None
        from loom.build.remote.choose import remote_cache

        return remote_cache(self.project, self.content, self.results)

    @cached_property
    def executor(self) -> Executor | None:
        """Whose workers run actions, if the project asks for that."""
        if self.project.remote.execution == "off":
            return None
        from loom.build.remote.choose import executor

        return executor(self.project, self.content, self.at_once)

    @cached_property
    def templates(self) -> Templates:
        """What rules ask for is looked up in runs that need no action either."""
        from loom.build.actions.templates import Templates

        return Templates(self.project)

    @cached_property
    def actions(self) -> Actions:
        from loom.build.actions.inputs import Actions

        return Actions(self)

    @cached_property
    def pipeline(self) -> Pipeline:
        return self._compiler()

    @cached_property
    def code(self) -> Code:
        from loom.build.steps.remembered import remembered_code

        return remembered_code(str(self.project.state / "code.marshal"), PACKAGE, own_stamps())

    @cached_property
    def products(self) -> StoredProducts:
        self._watch_loom()
        return self.products_of(self._read_source)

    def products_of(self, read: Callable[[str], bytes | None]) -> StoredProducts:
        """Those of the model that `read` gives, file by file."""
        from loom.base.pipeline import SystemEntry
        from loom.build.steps.products import Outside, StoredProducts
        from loom.build.steps.step import StepRunner

        systems = tuple(SystemEntry(system.name, system.entry) for system in self.project.systems)
        runner = StepRunner(self.content, self.results, self.code, read=self.read, shared=self.shared)
        return StoredProducts(self.pipeline, runner, Outside(systems, read, self._names, self._given))

    def _watch_loom(self) -> None:
        """Everything that a key may hold besides the model: our own code, data, and installed packages."""
        self._stamps |= own_stamps()
        for folder in own_folders(self.project):
            self._stamps |= folder_stamps(str(folder))
        self._stamps |= {name: stamp(name) for name in self.project.trusted_files}

    def _read_source(self, path: str) -> bytes | None:
        place = str(self.project.root / path)
        self._stamps[place] = stamp(place)
        try:
            with open(place, "rb") as stream:
                return stream.read()
        except OSError:
            return None

    def _names(self) -> tuple[str, ...]:
        from loom.build.project.models import model_files

        return model_files(self.project.root)

    def _given(self, name: str, unit: str) -> Input:
        from loom.build.steps.given import given

        return given(self.project, name, unit, self._stamps)

    def standing(self, name: str) -> Known | None:
        """What the last run knew of a task, if all of it still holds."""
        return self.state.known.get(name) if self.state is not None and not self.disturbed else None

    def done(self, name: str) -> Known | None:
        """The same of a task that was done with that key, unless everything is to be done anew."""
        known = self.standing(name) if self.read else None
        ran = self.state.ran.get(name) if self.state is not None else None
        return known if known is not None and ran is not None and ran.key == known.key else None

    def recall(self, name: str, ask: Callable[[], Known]) -> Known | None:
        """What is known of a task without running anything."""
        standing = self.standing(name)
        if standing is not None:
            return standing
        known = self.products.look(ask)
        if known is not None:
            self._known[name] = known
        return known

    def stop(self, seconds: float) -> bool:
        """Ends the run from another thread; whether all that was at work has cleared up in that time."""
        self.busy.end()
        actions = self.__dict__.get("actions")
        if actions is not None:
            actions.stop()
        return self.busy.wait(seconds)

    def remember(self, name: str, known: Known) -> Known:
        """The key with which a task has just been done."""
        self._known[name] = self._ran[name] = known
        return known

    def now_known(self) -> list[Known]:
        """What this run has found out of its tasks."""
        return list(self._known.values())

    def watched(self) -> dict[str, Stamp]:
        """The stamps of all files that what is known of the tasks rests on.

        Older stamps win: a file that changed since they were found good must be seen to differ next time.
        kept by tests/engine/core/test_never_wrong.py::test_file_that_changes_during_a_run_is_seen_by_the_next
        """
        return {**self._stamps, **(self.state.stamps if self.state else {})}

    def _save(self) -> None:
        """At the end, once: an interrupted run loses only this shortcut.

        What ran is added to what others say ran in the meantime.
        kept by tests/engine/core/test_commands.py::test_a_process_that_began_earlier_forgets_no_run
        """
        holding = self.state
        if not self._known and (holding is not None or "outline" not in self.__dict__):
            return
        last = load_state(self._state_path)
        known = {**(holding.known if holding else {}), **self._known}
        before = last.ran if last else {}
        changed = {name: before[name] for name, now in self._ran.items()
                   if name in before and before[name].key != now.key}  # fmt: skip
        previous = {**(last.previous if last else {}), **changed}
        ran = {**before, **self._ran}
        save_state(self._state_path, State(self._settings, self.watched(), self.outline, known, ran, previous))
        self._note_steps(known)

    def _note_steps(self, known: dict[str, Known]) -> None:
        """Steps that belong to no task are nowhere else, and `why` goes through them."""
        if "products" not in self.__dict__:
            return
        from loom.build.steps.trail import note_keys

        owned = {step for item in known.values() for step, _ in item.entries}
        note_keys(self.project.state, {step: key for step, key in self.products.keys().items() if step not in owned})

    def mistakes(self) -> str:
        """All errors and warnings of the model, in one text; empty when there is no error."""
        found = self.diagnostics()
        return self.report(found) if any(item.severity == "error" for item in found) else ""

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong with the model, or doubtful."""
        products, pipeline = self.products, self.pipeline
        return tuple(
            item
            for step in pipeline.checks(products)
            for item in pipeline.believed(products, *step, products.diagnostics(*step))
        )

    def is_mistaken(self) -> bool:
        """Whether the model has an error; the first one is enough."""
        products = self.products
        return any(products.step(*step).errors for step in self.pipeline.checks(products))

    @cached_property
    def is_known_mistaken(self) -> bool:
        """The same, as far as it can be said without running a stage."""
        return bool(self.products.look(self.is_mistaken))

    def report(self, diagnostics: tuple[Diagnostic, ...]) -> str:
        return self.pipeline.report(self.products, diagnostics) if diagnostics else ""

    def reported_once(self) -> bool:
        """Whether somebody has already been told of all mistakes; from then on, yes."""
        with self._lock:
            before, self._reported = self._reported, True
            return before


def combined(keys: list[str]) -> str:
    """One key for many steps."""
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()
