"""The files around the sources: the package, its lock, the settings of the linter.

In: a ServicePlan and the dependency lock. Out: files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from loom.emit import DepsLock, File
from loom.plan.model import ServicePlan

SCRIPTS = {
    "build": "tsc --project tsconfig.build.json",
    "start": "node dist/main.js",
    "test": "vitest run",
    "check": "biome check && tsc",
}


_FIELD_THEN = re.compile(r"(?<![.\w'])then(?=[:,]| \})")
_THEN_IS_DATA = '"linter": { "rules": { "suspicious": { "noThenProperty": "off" } } }'


def package_json(plan: ServicePlan, lock: DepsLock) -> str:
    """The service's own manifest, with the locked versions."""
    locked = json.loads(lock.text("package.json"))
    manifest = {
        "name": plan.slug.replace("_", "-"),
        "version": "1.0.0",
        "private": True,
        "type": "module",
        "engines": locked["engines"],
        "scripts": SCRIPTS,
        "dependencies": locked["dependencies"],
        "devDependencies": locked["devDependencies"],
    }
    return json.dumps(manifest, indent=2) + "\n"


def package_lock(plan: ServicePlan, lock: DepsLock) -> str:
    """The lock under the service's name: the dependencies are the locked ones, byte for byte."""
    return plan.slug.replace("_", "-").join(_around_name(lock.text("package-lock.json")))


@lru_cache(1)
def _around_name(lock: str) -> list[str]:
    """What stands before, between and after the places of the service's name: the same for every service."""
    data = json.loads(lock)
    mark = "\ue000"
    data["name"] = data["packages"][""]["name"] = mark
    data["version"] = data["packages"][""]["version"] = "1.0.0"
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").split(mark)


def linter_settings(standard: str, sources: Iterable[File]) -> str:
    """The standard settings; a field of the model that is called `then` is data, which the linter cannot see."""
    if not any("then" in file.text and _FIELD_THEN.search(file.text) for file in sources):
        return standard
    return standard.replace('  "formatter"', f'  {_THEN_IS_DATA},\n  "formatter"')
