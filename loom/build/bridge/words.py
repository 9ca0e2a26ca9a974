"""The words that `loom` itself answers; all others are doit's commands, ours among them, or tasks.

In: nothing. Out: what each is for, and what may follow. Never: what it does (`loom/cli.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

OWN: Mapping[str, tuple[str, str]] = {
    "cache": ("what the store holds, tidied or checked", "fsck gc key stats"),
    "deps": ("pin anew what services depend on", "update"),
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
