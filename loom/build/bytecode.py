"""Byte code of sources that have changed without another size or time: Python would run it in their place.

In: stamps of sources. Out: the sources whose byte code is not theirs, which is then gone.
Never: a look into byte code that is younger than its source, which is nearly all of it.
"""

from __future__ import annotations

import contextlib
import marshal
import os
from collections.abc import Iterator, Mapping
from importlib.util import MAGIC_NUMBER, cache_from_source

from loom.build.stamps import Stamp, stamp

_HEAD = 16


def outlived(stamps: Mapping[str, Stamp]) -> Iterator[str]:
    """Byte code that cannot be written is left as it is: nobody edits sources there either."""
    for path, source in stamps.items():
        if source is None or not path.endswith(".py"):
            continue
        kept = cache_from_source(path)
        found = stamp(kept)
        if found is None or found[2] > source[2] or not os.access(kept, os.W_OK):
            continue
        if _is_of(kept, path):
            os.utime(kept)  # known to be right, so it is not looked into again
        else:
            with contextlib.suppress(OSError):
                os.unlink(kept)
            yield path


def _is_of(kept: str, path: str) -> bool:
    try:
        with open(kept, "rb") as stream:
            data = stream.read()
        with open(path, "rb") as stream:
            code = compile(stream.read(), path, "exec", dont_inherit=True)
        return data.startswith(MAGIC_NUMBER) and bool(marshal.loads(data[_HEAD:]) == code)
    except (OSError, ValueError, EOFError, TypeError, SyntaxError):
        return False
