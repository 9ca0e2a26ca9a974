"""The Prometheus series of the service."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

from app.log import log

http_requests = Counter("http_requests_total", "Requests answered.", ["method", "route", "status"])
http_duration = Histogram("http_request_duration_seconds", "Time to answer.", ["method", "route"])
domain_operations = Counter("domain_operations_total", "Operations done.", ["aggregate", "op"])
domain_faults = Counter("domain_faults_total", "Requests refused or failed.", ["kind"])


def count_operation(aggregate: str, operation: str, aggregate_id: str) -> None:
    """Logs and counts an operation that was carried out and committed."""
    domain_operations.labels(aggregate, operation).inc()
    log("info", "operation_invoked", aggregate=aggregate, op=operation, id=aggregate_id)


def count_creation(aggregate: str, aggregate_id: str) -> None:
    """Logs and counts a new aggregate that was committed."""
    domain_operations.labels(aggregate, "create").inc()
    log("info", "aggregate_created", aggregate=aggregate, id=aggregate_id)
