"""Tab completion: doit's scripts, with the words that only `loom` knows.

In: a shell's name. Out: a script for it. Never: a list of tasks as of today: the script asks each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from doit.cmd_base import Command
from doit.cmd_completion import TabCompletion, bash_subcmd_arg

from loom.build.bridge.telling import Telling
from loom.build.bridge.words import OWN


class LoomTabCompletion(Telling, TabCompletion):
    """A script for bash or zsh."""

    name = "tabcompletion"
    cmds: Mapping[str, type[Command]]

    def execute(self, params: Mapping[str, object], args: Sequence[str]) -> None:
        if self.bin_name == "loom":
            self.cmds = {**self.cmds, **{name: _word(name, *said) for name, said in OWN.items()}}
        super().execute(params, args)

    @classmethod
    def _bash_cmd_args(cls, cmd: Command) -> str:
        following = OWN.get(cmd.name, ("", ""))[1]
        if not following:
            case: str = super()._bash_cmd_args(cmd)
            return case
        return str(bash_subcmd_arg.format(cmd_name=cmd.name, completion=f'-W "{following}"'))


def _word(name_: str, purpose: str, following: str) -> type[Command]:
    """As much of a command as the scripts ask for."""

    class Word(Command):
        name = name_
        doc_purpose = purpose
        doc_usage = following

    return Word
