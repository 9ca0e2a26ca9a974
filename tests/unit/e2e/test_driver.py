"""The driver of an end-to-end test: how long it waits for a service to end."""

from __future__ import annotations

import subprocess
import sys

from loom.e2e.driver.__main__ import ended


def test_end_is_told_when_it_comes_and_not_waited_for_any_longer_than_said() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)"], stdin=subprocess.PIPE
    ) as service:
        assert ended(service, 0.2) is None
        assert service.stdin is not None
        service.stdin.close()
        assert ended(service, 300) == 3
