"""What a project may choose among, by name.

In: nothing. Out: the names. Never: what is behind one of them.
"""

from __future__ import annotations

from typing import Literal

Choice = Literal["auto", "docker", "bubblewrap", "none"]
"""Sandboxes."""
ProviderName = Literal["debian", "oci"]
"""Where a toolchain comes from."""
