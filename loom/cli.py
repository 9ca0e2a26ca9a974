"""The command `loom`: a person's words to the engine, and its answer to an exit code.

In: argv. Out: text; 0 done, 1 something of the user's is wrong, 2 the words were wrong, 3 Loom itself failed.
Never: work of its own; each command is one call, and imports only what it needs.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from loom.build.project import ProjectProblem, find_root, load_project

USAGE = """\
loom init                              a small project in this folder
loom validate                          what is wrong with the model
loom generate [--overwrite] [--locked] [--allow-destructive]
                                       write the output folders
loom gate BACKEND [DEPLOYABLE]         build and check the services of one backend, hermetically
loom e2e [DEPLOYABLE]                  run the model's end-to-end tests against real services
loom explain TASK                      which part of the task's key has changed
loom explain-code CODE                 the manual page of a diagnostic
loom migrate record NAME               record the pending migrations under NAME
loom rules show STAGE/BACKEND          the rule in force, and where it came from
loom toolchain lock|build|show NAME    pin, make or describe a toolchain

All other words go to doit as they are: loom list, loom info TASK, loom clean, loom run -n 2 gate:node.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; what a user did wrong is one message and never a traceback."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that closes early ends us without a word
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(words)
    except ProjectProblem as problem:
        sys.stderr.write(f"loom: {problem}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def _run(words: list[str]) -> int:
    match words:
        case [] | ["help" | "-h" | "--help"]:
            sys.stdout.write(USAGE)
            return 0
        case ["init"]:
            return _initialise()
        case ["explain-code", code]:
            return _explain_code(code)
        case ["init" | "explain-code" | "gate" | "explain" | "migrate" | "rules" | "toolchain"]:
            return _misused(words)
    os.chdir(find_root(Path.cwd()))
    return _in_project(words)


def _in_project(words: list[str]) -> int:
    match words:
        case ["migrate", "record", name]:
            return _tasks("migrate", f"--name={name}")
        case ["rules", "show", rule]:
            return _show_rule(rule)
        case ["toolchain", "lock" | "build" | "show" as verb, name]:
            return _toolchain(verb, name)
        case ["migrate" | "rules" | "toolchain", *_]:
            return _misused(words)
        case ["gate" | "e2e" as group, first, *rest] if not first.startswith("-"):
            return _tasks(":".join([group, first, *rest]))
        case _:
            return _tasks(*words)


def _misused(words: Sequence[str]) -> int:
    lines = [line for line in USAGE.splitlines() if line.startswith(f"loom {words[0]} ")]
    sys.stderr.write("usage: " + "\n       ".join(lines) + "\n")
    return 2


def _initialise() -> int:
    from loom.build.project.initial import initialise

    for name in initialise(Path.cwd()):
        sys.stdout.write(f"wrote {name}\n")
    return 0


def _show_rule(name: str) -> int:
    from loom.build.describe import rule_text

    sys.stdout.write(rule_text(load_project(Path.cwd()), name))
    return 0


def _toolchain(verb: str, name: str) -> int:
    from loom.build import describe

    commands = {
        "lock": describe.toolchain_lock,
        "build": describe.toolchain_build,
        "show": describe.toolchain_text,
    }
    sys.stdout.write(commands[verb](load_project(Path.cwd()), name))
    return 0


def _explain_code(code: str) -> int:
    import inspect

    import loom.compiler  # every stage registers its diagnostics  # noqa: F401
    from loom.base import REGISTRY, nearest

    name = code if code.startswith("loom.") else f"loom.{code}"
    if name not in REGISTRY:
        meant = nearest(name, REGISTRY)
        raise ProjectProblem(f"there is no code `{name}`" + (f", did you mean `{meant}`?" if meant else ""))
    kind = REGISTRY[name]
    sys.stdout.write(f"{name} ({kind.severity})\n\n{inspect.getdoc(kind)}\n")
    return 0


def _tasks(*words: str) -> int:
    """The same answers as doit's in a folder with a dodo.py, which need not be there."""
    from loom.tasks import run

    return run(words)
