"""The command `loom`: the answer that still stands, or what its words mean.

In: argv. Out: an exit code. Never: a module that `loom generate` with nothing to do can spare; `commands` has the rest.
"""

from __future__ import annotations

import sys

from loom.build.standing.answer import repeat

TYPE_CHECKING = False
"""As in `typing`, which takes longer to load than all that is here."""
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; a reader that closes early, or a person who ends it, is told nothing."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = 0 if words == ["generate"] and repeat("loom", words) else _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        from loom.build.terminal import hung_up

        return hung_up()
    except KeyboardInterrupt:
        return 130
    return code


def _run(words: list[str]) -> int:
    from loom.commands import run

    return run(words)
