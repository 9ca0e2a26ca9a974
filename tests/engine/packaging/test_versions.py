"""What a Dockerfile begins with is what the gate checked: the same language, in the same version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loom.build.toolchain.toolchain import toolchain
from loom.emit import backend_names

BACKENDS = Path(__file__).parents[3] / "loom" / "backends"


@pytest.mark.parametrize("backend", backend_names())
def test_base_image_has_the_version_of_the_toolchain(backend: str) -> None:
    text = (BACKENDS / backend / "templates" / "Dockerfile.j2").read_text(encoding="utf-8")
    found = re.match(r"ARG BASE=\S+/(?P<image>[a-z]+):(?P<version>[0-9.]+)-", text)
    assert found
    assert (found["image"], found["version"]) == (backend, toolchain(backend).file.version)
