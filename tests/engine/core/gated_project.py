"""Toy projects with gates of their own, which run in the machine's real sandbox."""

from __future__ import annotations

import secrets
from pathlib import Path

from tests.engine.core.tide_project import MODEL, LoomProject
from tests.kit.places import STORE

RULE = """
rule: gate/{backend}
toolchain: python
inputs: {{project: emit}}
copy: [project]
steps:
  - name: words
    argv:
      - python3
      - -c
      - |
        import pathlib, sys
        text = pathlib.Path("main.txt").read_text()
        print("read", len(text.split()), "words")
        if "typo" in text:
            sys.exit("main.txt:2: error: `typo` is no word")
        if "slow" in text:
            import time; time.sleep(3600)
        pathlib.Path("/out/app").mkdir()
        pathlib.Path("/out/app/main.txt").write_text(text.upper())
    cwd: /build/project
outputs: {{artefact: /out/app}}
timeout: 600
limits: {{memory: 256MiB, processes: 64}}
"""


def gated_project(folder: Path, *backends: str, rule: str = RULE, words: str = "", **environment: str) -> LoomProject:
    """Gates by `rule`; the models end in a word that keeps this run apart from earlier ones, and in `words`."""
    project = LoomProject(folder, LOOM_STORE=str(STORE), **environment)
    for backend in backends:
        write_rule(project, backend, rule.format(backend=backend))
    for name in ("quay", "berth"):
        project.write(name, f"{MODEL[name]}{secrets.token_hex(8)}{words}\n")
    return project


def write_rule(project: LoomProject, backend: str, rule: str) -> None:
    """The project's own rule for the gate of a backend."""
    folder = project.root / "rules/gate"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{backend}.yaml").write_text(rule)
