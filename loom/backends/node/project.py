"""The files around the sources: the package, its lock, the migrations.

In: a ServicePlan and the dependency lock. Out: files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from loom.emit import DepsLock, File
from loom.plan.model import ServicePlan

SCRIPTS = {
    "build": "tsc --project tsconfig.json",
    "start": "node dist/main.js",
    "test": "vitest run",
    "check": "biome check && tsc --project tsconfig.json --noEmit",
}


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
    data = json.loads(lock.text("package-lock.json"))
    name = plan.slug.replace("_", "-")
    data["name"] = data["packages"][""]["name"] = name
    data["version"] = data["packages"][""]["version"] = "1.0.0"
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def migrations(plan: ServicePlan) -> Iterator[File]:
    for context in plan.contexts:
        for item in context.migrations:
            yield File(path=f"migrations/{item.context}/{item.version}_{item.name}.sql", text=item.sql)
