"""The Prometheus series of the service, and of nothing else in the process."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from app.log import log

_without_series_of_times: Callable[[], None] = disable_created_metrics
_without_series_of_times()

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
http_requests = Counter(
    "http_requests_total",
    "Requests answered.",
    ["method", "route", "status"],
    registry=None,
)
http_duration = Histogram(
    "http_request_duration_seconds",
    "Time from the first byte of a request to its answer.",
    ["method", "route"],
    registry=None,
    buckets=_SECONDS,
)
domain_operations = Counter(
    "domain_operations_total",
    "Operations that were carried out.",
    ["aggregate", "op"],
    registry=None,
)
domain_faults = Counter(
    "domain_faults_total",
    "Requests that were refused, by the kind of refusal.",
    ["kind"],
    registry=None,
)


def exposition() -> bytes:
    """All series, also those that nothing was counted in."""
    registry = CollectorRegistry()
    for series in (http_requests, http_duration, domain_operations, domain_faults):
        registry.register(series)
    return generate_latest(registry)


def count_operation(aggregate: str, operation: str, aggregate_id: str) -> None:
    """Logs and counts an operation that was carried out and committed."""
    domain_operations.labels(aggregate, operation).inc()
    log("info", "operation_invoked", aggregate=aggregate, op=operation, id=aggregate_id)
