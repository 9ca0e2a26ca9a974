"""The key of an action: SHA-256 of everything that its commands can observe.

In: an action, and whether it is isolated. Out: the key and the bytes that it is the digest of.
Never: a host path, a time, a description, or which of the isolating sandboxes runs it.
"""

from __future__ import annotations

import hashlib

from loom.build.actions.action import Action, ActionStep
from loom.build.sandbox.world import ENVIRONMENT, PROFILE, USER
from loom.build.store.atomic import Json, canonical_json

SCHEMA = "loom.action/2"


def action_key(action: Action, *, isolated: bool) -> tuple[str, bytes]:
    preimage = canonical_json({"schema": SCHEMA, "world": _world(action, isolated=isolated), **_commands(action)})
    return hashlib.sha256(preimage).hexdigest(), preimage


def _world(action: Action, *, isolated: bool) -> dict[str, Json]:
    """What an action sees besides its inputs; the sandboxes differ in how they provide it alone."""
    return {
        "profile": PROFILE,
        "isolated": isolated,
        "user": USER,
        "env": dict(ENVIRONMENT),
        "network": action.network,
        "memory": action.limits.memory,
        "processes": action.limits.processes,
        "toolchain": action.toolchain,
    }


def _commands(action: Action) -> dict[str, Json]:
    return {
        "kind": action.kind,
        "steps": [*map(_step, action.steps)],
        "env": dict(action.env),
        "inputs": {item.name: {"sha256": item.sha256, "size": item.size} for item in action.inputs},
        "copy": [*sorted(action.copy_in)],
        "outputs": {output.name: output.path for output in action.outputs},
        "timeout": action.timeout,
        **({"pinned": action.pinned} if action.pinned else {}),
    }


def _step(step: ActionStep) -> Json:
    return {"name": step.name, "argv": [*step.argv], "cwd": step.cwd}
