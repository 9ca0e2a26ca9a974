"""What was agreed about the workers of a server.

In: `remote:` of a project. Out: `Terms`. Never: a connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Terms(NamedTuple):
    """`required` says that nothing may run here instead; `jobs` is how many run there at once."""

    required: bool
    jobs: int
    platform: Mapping[str, str]
