"""The sentences that clients read in problem bodies.

In: names, the canonical print of conditions, author's messages. Out: final texts.
Never: anything that depends on a request, but for the braces that a docstring names.
"""

from __future__ import annotations


def precondition(message: str, source: str) -> str:
    return message or f"Precondition failed: {source}"


def invariant(message: str, source: str) -> str:
    return message or f"Invariant violated: {source}"


def check(message: str, source: str) -> str:
    return message or f"must satisfy {source}"


def forbidden(source: str) -> str:
    return f"Forbidden: {source}"


def disallowed(operation: str, aggregate: str) -> str:
    return f"operation '{operation}' is not allowed in the current state of {aggregate}."


def missing(aggregate: str) -> str:
    """`{id}` is filled in by the service."""
    return f"{aggregate} {{id}} not found"


def missing_key(aggregate: str) -> str:
    return f"{aggregate} not found"


def referenced(aggregate: str) -> str:
    return f"{aggregate} is still referenced and cannot be deleted."


def between(low: int, high: int) -> str:
    return f"must be between {low} and {high}"


def one_of(choices: tuple[str, ...]) -> str:
    return f"must be one of {{{', '.join(choices)}}}"


MISSING_FIND = "not_found"
