"""What can go wrong on purpose: each error knows its status, its title and its log event."""

from __future__ import annotations

from typing import ClassVar


class ServiceError(Exception):
    """An answer that is not a success; `detail` is shown to the client."""

    status: ClassVar[int]
    title: ClassVar[str]
    event: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class DomainError(ServiceError):
    """A precondition, an invariant or a rule of arithmetic does not hold."""

    status = 422
    title = "Unprocessable Entity"
    event = "domain_error"


class ForbiddenError(ServiceError):
    """The caller may not do this."""

    status = 403
    title = "Forbidden"
    event = "forbidden"


class DisallowedError(ServiceError):
    """The state of the aggregate does not allow the operation now."""

    status = 409
    title = "Disallowed"
    event = "disallowed"


class ConflictError(ServiceError):
    """Somebody else's data or somebody else's write is in the way."""

    status = 409
    title = "Conflict"
    event = "conflict"


class NotFoundError(ServiceError):
    """What was asked for does not exist."""

    status = 404
    title = "Not Found"
    event = "not_found"


class AggregateNotFoundError(NotFoundError):
    """No aggregate has this id."""

    def __init__(self, aggregate: str, aggregate_id: str) -> None:
        super().__init__(f"{aggregate} {aggregate_id} not found")


class StaleVersionError(ConflictError):
    """The aggregate was changed since it was read."""

    def __init__(self) -> None:
        super().__init__("The resource was modified by another request; reload and retry.")


class MalformedJsonError(ServiceError):
    """The body is not JSON, or is nested too deeply."""

    status = 400
    title = "Bad Request"
    event = "client_error"

    def __init__(self) -> None:
        super().__init__("Malformed JSON in request body")


class BodyTooLargeError(ServiceError):
    """The body exceeds the configured limit."""

    status = 413
    title = "Content Too Large"
    event = "client_error"

    def __init__(self, limit: int) -> None:
        super().__init__(f"Request body is larger than {limit} bytes")


class RequestTimeoutError(ServiceError):
    """The request arrives too slowly."""

    status = 408
    title = "Request Timeout"
    event = "client_error"

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Request did not arrive within {seconds} seconds")


class MediaTypeError(ServiceError):
    """The body is not declared to be JSON."""

    status = 415
    title = "Unsupported Media Type"
    event = "client_error"

    def __init__(self) -> None:
        super().__init__("Content-Type must be application/json")
