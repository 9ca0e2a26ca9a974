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


def log_fields(error: BaseException) -> dict[str, object]:
    """What the log says of an error: its text on one line, and the database's code if any."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = " ".join(str(cause).split())
    fields: dict[str, object] = {"error": f"{type(cause).__name__}: {text}"}
    sqlstate = getattr(cause, "sqlstate", None)
    return {**fields, "sqlstate": sqlstate} if sqlstate else fields


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
