"""`doit run`, which is meant where no command is named: made to say more, and to say it again where nothing changed.

In: doit's parameters. Out: exit codes. Never: a module that a run with nothing to do can spare.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import MutableMapping, Sequence
from functools import wraps

from doit.cmd_base import DodoTaskLoader
from doit.cmd_run import Run
from doit.cmdparse import CmdParse

from loom.build.bridge.interrupt import interruptible
from loom.build.bridge.telling import ON_WORKERS, ON_WORKERS_OPTION, Telling, refuse_patterns_without_match, work_of
from loom.build.remote.asked import ASKED
from loom.build.standing.answer import repeat

_PATIENCE = 10.0
"""Seconds for the actions of an interrupted run to end and clear up."""
_SAID_EARLY = {"--locked": "LOOM_LOCKED", "--allow-destructive": "LOOM_ALLOW_DESTRUCTIVE", ON_WORKERS: ASKED}


class LoomRun(Telling, Run):
    """`-a` means to do the work again, not to fetch it from the store.

    Three options are about all tasks of a run, whichever is named, so they are heard before any task is loaded.
    """

    name = "run"
    cmd_options = (
        *Run.cmd_options,
        {
            "name": "keep_failed",
            "long": "keep-failed",
            "type": bool,
            "default": False,
            "help": "keep the folder of an action that fails, with a script that does it again",
        },
        ON_WORKERS_OPTION,
    )

    _has_looked = False

    @property
    def cmdparser(self) -> CmdParse:
        """Asked for when words are read or explained: only then all packages are looked through for what they add."""
        if not self._has_looked:
            self._has_looked = True
            self._backends, self.reporters = super().get_backends(), super().get_reporters()
        return super().cmdparser

    def get_backends(self) -> dict[str, object]:
        """None while the command is made."""
        return {}

    def get_reporters(self) -> dict[str, object]:
        """None while the command is made."""
        return {}

    def is_answered(self, words: Sequence[str]) -> bool:
        """Where nothing but the words `generate` can have chosen what doit does, the answer of before may stand."""
        is_plain = (
            list(words) in ([], ["generate"])
            and list(words) == sys.argv[1:]
            and isinstance(self.loader, DodoTaskLoader)
            and not self.opt_vals
            and not any(self.config.values())
            and not any(name.startswith("DOIT_") for name in os.environ)
        )
        return is_plain and repeat("doit", words, dodo=True)

    def execute(self, params: MutableMapping[str, object], args: Sequence[str]) -> int:
        if params["reporter"] == "json":
            from loom.build.bridge.json_reporter import LoomJsonReporter

            params["reporter"] = LoomJsonReporter
        if params["always"]:
            os.environ["LOOM_CACHE"] = "write"
        if params["keep_failed"]:
            os.environ["LOOM_KEEP_FAILED"] = "1"
        if params["remote_exec"]:
            os.environ[ASKED] = "1"
        os.environ.update({variable: "1" for option, variable in _SAID_EARLY.items() if option in args})
        return self._uncollected(params, [word for word in args if word not in _SAID_EARLY])

    @wraps(Run._execute)  # doit reads the names of the parameters
    def _execute(self, *values: object, **named: object) -> int:
        refuse_patterns_without_match(self.sel_tasks, self.task_list, self.bin_name)
        named["num_process"] = self._at_once(int(str(named["num_process"])))
        code: int = super()._execute(*values, **named)
        return code

    def _uncollected(self, params: MutableMapping[str, object], args: Sequence[str]) -> int:
        """Frozen values have no cycles: looking for some takes a third of a run and finds nothing.

        Nor is it worth a fifth of a run to take everything apart just before the process ends.
        """
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            with interruptible(self._stop):
                code: int = super().execute(params, args)
        finally:
            gc.freeze()
            if was_enabled:
                gc.enable()
        return code

    def _at_once(self, said: int) -> int:
        """How many tasks run at once: as many as the executor takes, unless a number was said."""
        works = [work for task in self.task_list if (work := work_of(task)) is not None]
        if not works or works[0].workspace.project.remote.execution == "off":
            return said
        works[0].workspace.at_once = max(1, said)
        return said or works[0].workspace.project.remote.at_once

    def _stop(self) -> None:
        """doit's workers are not waited for by anybody: what they run would outlive us."""
        works = [work for task in self.task_list if (work := work_of(task)) is not None]
        if works:
            works[0].workspace.stop(_PATIENCE)
