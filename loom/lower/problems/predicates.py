"""Mistakes in criteria and policies."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class CriterionUnsupportedTarget(Diagnostic):
    """A criterion is about the instances of an aggregate, or about nothing but its parameters (`of bool`)."""

    message = "a criterion cannot be about {found}"
    help = "name an aggregate of this context, or `bool`"

    found: str


class CriterionTargetMismatch(Diagnostic):
    """A criterion is used where there is no instance of its aggregate."""

    message: ClassVar[dict[str, str]] = {
        "other": "the criterion `{name}` is about `{target}`, not about `{found}`",
        "none": "the criterion `{name}` is about `{target}`, and there is none here",
    }
    help = "use it in the finds, filters and members of `{target}`"

    case: Literal["other", "none"]
    name: str
    target: str
    found: str


class CriterionArity(Diagnostic):
    """A criterion is given more or fewer values than it has parameters."""

    message = "the criterion `{name}` takes {expected}, not {found}"
    help = "its parameters are: {parameters}"

    name: str
    expected: str
    found: int
    parameters: str


class CriterionCycle(Diagnostic):
    """Criteria that need each other's answer have none."""

    message = "the criterion `{name}` needs itself: {path}"
    help = "break the circle"

    name: str
    path: str


class CriterionImpure(Diagnostic):
    """A criterion asks something; it cannot change anything."""

    message = "the criterion `{name}` cannot call the operation `{operation}`"
    help = "ask for the fields that the operation reads"

    name: str
    operation: str


class CriterionAliasCollision(Diagnostic):
    """The name that a criterion gives its instance is taken by a parameter."""

    message = "`{name}` is a parameter of the criterion already"
    help = "choose another name after `as`"

    name: str


class PolicyFnReturnType(Diagnostic):
    """A policy says yes or no."""

    message = "the policy `{name}` must answer bool, not {found}"
    help = "declare it as `: bool`"

    name: str
    found: str


class PolicyFnArity(Diagnostic):
    """A policy is given more or fewer values than it has parameters."""

    message = "the policy `{name}` takes {expected}, not {found}"
    help = "its parameters are: {parameters}"

    name: str
    expected: str
    found: int
    parameters: str


class PolicyFnCycle(Diagnostic):
    """Policies that need each other's answer have none."""

    message = "the policy `{name}` needs itself: {path}"
    help = "break the circle"

    name: str
    path: str
