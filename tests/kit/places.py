"""What is there before a test begins: the machine's own store, and the services of the examples."""

from __future__ import annotations

import os
from pathlib import Path

STORE = Path(os.environ.get("LOOM_STORE", "~/.cache/loom")).expanduser()
"""It has the roots already."""
SERVICES = {"python": ("registry_service", "python_schedule"), "node": ("schedule_service", "node_schedule")}
"""What the examples deploy, by backend."""
