"""The words that `loom` itself answers; all others are doit's commands, ours among them, or tasks.

In: nothing. Out: what each is for, and what may follow. Never: what it does (`loom/commands.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

OWN: Mapping[str, tuple[str, str]] = {
    "cache": ("what the store holds, tidied or checked", "fsck gc key stats"),
    "deps": ("pin anew what services depend on", "update"),
    "doc": ("a page about the model, with pictures", ""),
    "explain-code": ("the manual page of a diagnostic", "--all"),
    "fmt": ("lay the files of the model out", ""),
    "init": ("a small project in this folder", ""),
    "language": ("the language of the model", ""),
    "log": ("what the last runs did", "diff last runs what-failed what-ran"),
    "lsp": ("the language server, for an editor", ""),
    "migrate": ("record the pending migrations", "record"),
    "rules": ("the rule in force", "show"),
    "toolchain": ("pin, make or describe a toolchain", "build lock show"),
}
"""What each is for, and the words that may follow; files are completed where there are none."""
OF_TASKS = ("validate", "gate", "e2e")
"""Tasks that `loom` lets more be said of than doit knows."""
USAGE = """\
loom init                              a small project in this folder
loom validate [--format text|json|sarif|github]
                                       what is wrong with the model
loom fmt [FILE ...] [--check] [--range FIRST:LAST]
                                       lay the model's files out
loom doc [FOLDER]                      a page about each system, with pictures, and those as Mermaid; in `doc` if no
                                       folder is named
loom generate [--overwrite] [--locked] [--allow-destructive]
                                       write the output folders
loom gate BACKEND [DEPLOYABLE] [--remote-exec]
                                       build and check the services of one backend, hermetically; here, or on workers
loom e2e [DEPLOYABLE] [--remote-exec]  run the model's end-to-end tests against real services
loom explain TASK [--against KEY]      which part of the task's key has changed, or differs from another
loom why TASK                          what change, in the end, makes a task run
loom query deps|rdeps TASK             what a task needs; what needs it
loom query path TASK NEEDED            one shortest way from a task to something that it needs
loom query owners FILE                 the tasks that read a file themselves
loom query affected --since REV        the tasks whose key may change by what differs from a commit
loom graph [TASK ...] [--out FILE]     a picture of the tasks: what needs what, how each stands, how long it took
loom verify --rebuild [--remote-exec] [TASK ...]
                                       make tasks again at another path, time, locale, hash seed and on one processor,
                                       or on workers; exit code 4 when something is not the same
loom reproduce TASK                    a script that does the action of a task by hand
loom explain-code CODE|--all           the manual page of a diagnostic, or of all as Markdown
loom language                          the language of the model: what there is, and what it means
loom lsp                               the language server, for an editor
loom migrate record NAME [--allow-destructive]
                                       record the pending migrations under NAME
loom rules show STAGE/BACKEND          the rule in force, and where it came from
loom toolchain lock|build|show NAME    pin, make or describe a toolchain
loom deps update BACKEND               pin what the services of a backend depend on anew
loom cache stats                       what the store holds
loom cache gc [--size 20GiB] [--age 30d] [--free 2GiB]
                                       remove what was not used for long, or does not fit
loom cache fsck [--repair]             check every byte and every result of the store
loom cache key new [FILE] | show       a key to sign results with; whose signatures are believed
loom log last|what-ran|what-failed     what the last run did
loom log runs                          the runs that are kept
loom log diff RUN RUN                  what the second did otherwise, and what of each key differed

All other words go to doit as they are: loom list -s, loom info TASK, loom run -n 2 gate:node, loom clean,
loom ignore TASK, loom forget [--cache] TASK, loom tabcompletion.
Exit codes, as doit's: 0 done; 1 a task or a check failed, or the model is wrong; 2 the machine cannot do it;
3 nothing could be begun: wrong words, no such thing, or a mistake in loom.yaml or in a variable;
4 not the same again; 130 interrupted.
"""


def usage(words: Sequence[str]) -> str:
    """How the commands are used that begin with these words, and what they do."""
    commands = re.split(r"\n(?=loom )", USAGE.partition("\n\n")[0])
    return "".join(f"{command}\n" for command in commands if f"{command} ".startswith(f"loom {' '.join(words)} "))
