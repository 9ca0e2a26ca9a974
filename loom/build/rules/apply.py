"""Rule + toolchain + trees = action.

In: a rule, the toolchain that it names, a tree for each input. Out: the action.
Never: a look at the disk, or an input that the rule does not name.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.base import Digest
from loom.build.actions.action import Action, ActionInput, ActionLimits, ActionOutput, ActionStep
from loom.build.rules.load import Rule
from loom.build.rules.model import in_bytes
from loom.build.toolchain.toolchain import Toolchain


def apply_rule(rule: Rule, chain: Toolchain, trees: Mapping[str, Digest]) -> Action:
    """The action; ValueError when `trees` are not exactly the rule's inputs."""
    file = rule.file
    if set(trees) != set(file.inputs):
        raise ValueError(f"{rule.name} takes {sorted(file.inputs)}, not {sorted(trees)}")
    return Action(
        kind=rule.name,
        steps=tuple(ActionStep(name=step.name, argv=step.argv, cwd=step.cwd) for step in file.steps),
        env=tuple(sorted((chain.file.env | file.env).items())),
        inputs=tuple(ActionInput.of(name, trees[name]) for name in sorted(trees)),
        copy_in=tuple(sorted(file.copy_in)),
        outputs=tuple(ActionOutput(name=name, path=path) for name, path in sorted(file.outputs.items())),
        toolchain=chain.identity,
        network=file.network,
        timeout=file.timeout,
        limits=ActionLimits(memory=in_bytes(file.limits.memory), processes=file.limits.processes),
    )
