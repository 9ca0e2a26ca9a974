"""What the database's refusals mean to a client."""

from __future__ import annotations

from psycopg import errors
from sqlalchemy.exc import DBAPIError

from app.errors import ConflictError, StaleVersionError


def is_transient(error: DBAPIError) -> bool:
    """Whether the same transaction may succeed when it is run again."""
    return isinstance(error.orig, errors.SerializationFailure | errors.DeadlockDetected)


def is_reference_violation(error: DBAPIError) -> bool:
    return isinstance(error.orig, errors.ForeignKeyViolation)


def conflict_of(error: DBAPIError) -> ConflictError | None:
    """The conflict that a failed statement shows, or None when it is a fault of ours."""
    match error.orig:
        case errors.UniqueViolation():
            return ConflictError("A resource with these values already exists.")
        case errors.SerializationFailure() | errors.DeadlockDetected():
            return StaleVersionError()
        case errors.IntegrityError():
            return ConflictError("The request conflicts with the current state.")
        case _:
            return None
