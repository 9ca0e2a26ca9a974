"""The commands of `loom`: a person's words to the engine, and its answer to an exit code.

In: argv. Out: text, and an exit code as `words.USAGE` has them.
Never: work of its own; each command is one call, and imports only what it needs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.bridge.words import OF_TASKS, OWN, USAGE, usage
from loom.build.project import Misused, ProjectProblem, find_root, load_project
from loom.build.project.problem import NothingBegun, Unable, complaint
from loom.build.standing.answer import repeat

if TYPE_CHECKING:
    from loom.base.pipeline import Pipeline
    from loom.build.commands.formatting import FormatWords
    from loom.build.workspace import Workspace
    from loom.parse.findings import Finding, Format

NEEDY = ("gate", "explain", "why", "query", "reproduce", "migrate", "rules", "toolchain")
"""Words that mean nothing by themselves."""
_LOSSY = "--allow-destructive"
Arguments = list[str]
Command = Callable[[Arguments], int | None]
"""Does what a word means with those behind it; None where they mean nothing."""
_AFTER_ANY = ("--locked", _LOSSY, "--remote-exec")
"""Options that may follow every task."""


def run(words: Arguments) -> int:
    """Runs one command; what a user did wrong is one message and never a traceback."""
    try:
        return _run(words)
    except Misused as misused:
        return _misused(misused.args)
    except ProjectProblem as problem:
        sys.stderr.write(complaint(problem))
        return problem.code


def _run(words: Arguments) -> int:
    match words:
        case [] | ["help" | "-h" | "--help"]:
            return _say(USAGE)
        case ["help", word] if word in OWN or word in OF_TASKS:
            return _say(usage([word]))
        case [word, *_, "-h" | "--help"] if not word.startswith("-"):
            return _run(["help", word])
        case ["--version"]:
            return _version()
        case [word] if word in NEEDY:
            return _misused(words)
    word, *rest = words
    if word not in _ANYWHERE:
        os.chdir(find_root(Path.cwd()))
    command = _ANYWHERE.get(word) or _IN_PROJECT.get(word)
    if command is None:
        return _tasks(*words)
    code = command(rest)
    return _misused([word]) if code is None else code


def _say(text: str) -> int:
    sys.stdout.write(text)
    return 0


def _alone(command: Callable[[], int]) -> Command:
    """A word behind which nothing stands."""
    return lambda words: None if words else command()


def _generate(words: Arguments) -> int:
    return 0 if not words and repeat("loom", ["generate"]) else _tasks("generate", *words)


def _group(group: str) -> Command:
    """`gate java orders` is the task `gate:java:orders`; of a group, doit would say that it has no options at all."""

    def run(words: Arguments) -> int:
        if wrong := _unknown_option(words):
            return _misused([group], f"`{group}` has no option `{wrong}`")
        if not words or words[0].startswith("-"):
            return _tasks(group, *words)
        options = [word for word in words if word.startswith("-")]
        return _tasks(":".join([group, *[word for word in words if word not in options]]), *options)

    return run


def _migrate(words: Arguments) -> int | None:
    match words:
        case ["record", name, *option] if not name.startswith("-") and option in ([], [_LOSSY]):
            from loom.build.migrations.history import check_name

            check_name(name)  # before anything is made for it
            return _tasks("migrate", f"--name={name}", *option)
    return None


def _serve() -> int:
    """Speaks on standard input and output until the editor hangs up."""
    try:
        from loom.lsp.server import make
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise Unable("the language server needs pygls: pip install 'loom-ddd[lsp]'") from None
    make().start_io()
    return 0


def _format(words: Arguments) -> int:
    """Without files, all of the project; a file needs no project around it."""
    from loom.build.commands.formatting import format_file, model_files

    said = _format_words(words)
    if said is None or (said.lines and len(said.names) != 1):
        return _misused(["fmt"])
    check, lines, names = said
    if not names:
        os.chdir(find_root(Path.cwd()))
    files = [Path(name) for name in names] or list(model_files(load_project(Path.cwd())))
    found = [done for file in files if (done := format_file(file, check=check, lines=lines))]
    sys.stdout.write("".join(done.text for done in found))
    return int(any(done.is_bad for done in found))


def _format_words(words: Arguments) -> FormatWords | None:
    """None for words that mean nothing."""
    from loom.build.commands.formatting import FormatWords, Range

    names: list[str] = []
    lines: Range | None = None
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--range" and waiting:
            word = f"--range={waiting.pop(0)}"
        found = re.fullmatch(r"--range=([1-9]\d{0,8}):([1-9]\d{0,8})", word)
        if found and int(found[1]) <= int(found[2]):
            lines = Range(int(found[1]), int(found[2]))
        elif not word.startswith("-"):
            names.append(word)
        elif word != "--check":
            return None
    return FormatWords("--check" in words, lines, names)


def _validate(words: Arguments) -> int:
    from loom.parse.findings import FORMATS

    match words:
        case [] | ["--format", "text"] | ["--format=text"]:
            return _validated_as_text()
        case ["--format", name] if name in FORMATS:
            return _validated_as(FORMATS[name])
        case [word] if word.startswith("--format=") and word.removeprefix("--format=") in FORMATS:
            return _validated_as(FORMATS[word.removeprefix("--format=")])
        case ["--format", *_] | [_] if words[0].startswith("--format"):
            name = "".join(words[1:]) or words[0].partition("=")[2]
            there = ", ".join(("text", *FORMATS))
            return _misused(["validate"], f"there is no format `{name}`: there are {there}" if name else "")
        case _ if wrong := _unknown_option(takewhile(lambda word: word.startswith("-"), words)):  # then, other tasks
            return _misused(["validate"], "" if wrong == "--format" else f"`validate` has no option `{wrong}`")
        case _:
            return _tasks("validate", *words)


def _validated_as_text() -> int:
    """doit runs the task and tells what it found; the counts come last."""
    from loom.build.commands.validated import shown_warnings
    from loom.parse.findings.finding import counts

    load_project(Path.cwd())  # a mistake in it is told once, and not by doit
    code = _tasks("validate")
    workspace = _workspace()
    if code == 0:
        sys.stdout.write(counts(0, shown_warnings(workspace)) + "\n")
    elif code == 1:
        found = _findings(workspace)
        errors = sum(item.severity == "error" for item in found)
        sys.stdout.write(counts(errors, len(found) - errors) + "\n")
    return code


def _validated_as(form: Format) -> int:
    """Nothing but the format is written, so that another program can read it."""
    below = _below_checkout(Path.cwd())
    found = [item._replace(file=below + item.file) for item in _findings(_workspace())]
    sys.stdout.write(form(found))
    return int(any(item.severity == "error" for item in found))


def _document(words: Arguments) -> int | None:
    from loom.build.document.files import write_pages

    if len(words) > 1 or "".join(words).startswith("-"):
        return None
    return _say("".join(f"wrote {path}\n" for path in write_pages(_workspace(), Path(*words or ["doc"]))))


def _below_checkout(root: Path) -> str:
    """What GitHub must have in front of a path when the project is not the whole checkout."""
    checkout = Path(os.environ.get("GITHUB_WORKSPACE") or root).resolve()
    inside = root.resolve().is_relative_to(checkout) and root.resolve() != checkout
    return f"{root.resolve().relative_to(checkout).as_posix()}/" if inside else ""


def _findings(workspace: Workspace) -> tuple[Finding, ...]:
    from loom.compiler import sources_of
    from loom.parse.findings import findings

    diagnostics = workspace.diagnostics() if workspace.outline.files else ()
    return findings(diagnostics, sources_of(workspace.products, diagnostics))


def _workspace() -> Workspace:
    from loom.build.workspace import Workspace

    return Workspace(load_project(Path.cwd()), _compiler)


def _compiler() -> Pipeline:
    """As `loom.tasks` has it, which brings doit with it."""
    from loom.tasks import compiler

    return compiler()


def _unknown_option(words: Iterable[str]) -> str:
    """The first that no task has."""
    options = (word.partition("=")[0] for word in words if word.startswith("-"))
    return next((option for option in options if option not in _AFTER_ANY), "")


def _misused(words: Sequence[str], wrong: str = "") -> int:
    """Says what is wrong, where that is known, and how the commands are used that begin with these words."""
    lines = usage(words).splitlines()
    sys.stderr.write((complaint(wrong) if wrong else "") + "usage: " + "\n       ".join(lines) + "\n")
    return NothingBegun.code


def _initialise() -> int:
    from loom.build.project.initial import initialise

    return _say("".join(f"wrote {name}\n" for name in initialise(Path.cwd())))


def _version() -> int:
    from importlib.metadata import version

    return _say(f"loom {version('loom-ddd')}\n")


def _rules(words: Arguments) -> int | None:
    from loom.build.commands.describe import rule_text

    match words:
        case ["show", rule]:
            return _say(rule_text(load_project(Path.cwd()), rule))
    return None


def _toolchain(words: Arguments) -> int | None:
    from loom.build.commands import describe

    commands = {
        "lock": describe.toolchain_lock,
        "build": describe.toolchain_build,
        "show": describe.toolchain_text,
    }
    match words:
        case [verb, name] if verb in commands:
            return _say(commands[verb](load_project(Path.cwd()), name))
    return None


def _deps(words: Arguments) -> int | None:
    from loom.build.commands.describe import deps_update

    match words:
        case ["update", backend]:
            return _say(deps_update(load_project(Path.cwd()), backend))
        case ["update", *_]:
            return None
    return _tasks("deps", *words)


def _cache(words: Arguments) -> int | None:
    from loom.build.housekeeping.commands import fsck, gc, stats

    match words:
        case ["key", *rest]:
            from loom.build.trust.commands import key_command

            return _say(key_command(load_project(Path.cwd()), rest))
        case ["fsck", *rest]:
            return fsck(load_project(Path.cwd()), rest)
        case ["gc", *rest]:
            return _say(gc(load_project(Path.cwd()), rest))
        case ["stats"]:
            return _say(stats(load_project(Path.cwd())))
        case ["stats", *_]:
            return _misused(["cache", "stats"])
    return None


def _log(words: Arguments) -> int | None:
    from loom.build.commands.runs import diff, told_runs
    from loom.build.housekeeping.log import log

    match words:
        case ["runs"]:
            return _say(told_runs(load_project(Path.cwd()).state))
        case ["last" | "what-ran" | "what-failed" as word]:
            return _say(log(load_project(Path.cwd()), word))
        case ["diff", first, second]:
            return _say(diff(_workspace(), first, second))
    return None


def _language() -> int:
    import loom.parse

    return _say(Path(loom.parse.__file__).with_name("LANGUAGE.md").read_text("utf-8"))


def _explain_code(words: Arguments) -> int | None:
    import loom.build.project.mistakes
    import loom.compiler
    import loom.e2e.problems  # noqa: F401 - every stage registers its diagnostics
    from loom.base import REGISTRY
    from loom.parse.findings.reference import manual_page, near_codes, reference

    if len(words) != 1:
        return None
    if words == ["--all"]:
        return _say(reference(REGISTRY.values()))
    (code,) = words
    name = code if code.startswith("loom.") else f"loom.{code}"
    if name in REGISTRY:
        return _say(manual_page(REGISTRY[name]))
    first, *others = near_codes(name, REGISTRY) or ("",)
    meant = f", did you mean `{first}`?" if first else "; `loom explain-code --all` shows what there is"
    also = " Near it are `" + "`, `".join(others) + "`." if others else ""
    raise NothingBegun(f"there is no code `{name}`{meant}{also}")


def _tasks(*words: str) -> int:
    """The same answers as doit's in a folder with a dodo.py, which need not be there."""
    from loom.tasks import run

    return run(words)


_ANYWHERE: Mapping[str, Command] = {
    "init": _alone(_initialise),
    "explain-code": _explain_code,
    "language": _alone(_language),
    "fmt": _format,
    "lsp": _alone(_serve),
}
"""Words that need no project around."""
_IN_PROJECT: Mapping[str, Command] = {
    "generate": _generate,
    "gate": _group("gate"),
    "e2e": _group("e2e"),
    "validate": _validate,
    "migrate": _migrate,
    "rules": _rules,
    "doc": _document,
    "toolchain": _toolchain,
    "deps": _deps,
    "cache": _cache,
    "log": _log,
}
"""The others that are more than the name of a task, or of a command about tasks."""
