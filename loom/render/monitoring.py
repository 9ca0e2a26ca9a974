"""Prometheus for a compose file, started only under the profile `monitoring`.

In: the services. Out: its compose service and its configuration, as data. Never: a credential.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.plan.limits import ProbePlan
from loom.plan.model import ServiceSummary
from loom.render.containers import Data, container, limits, probe, published

CONFIGURATION = "monitoring/prometheus.yml"
_PORT = 9090


def prometheus() -> Mapping[str, Data]:
    """The compose service `prometheus`."""
    asked = ["CMD", "wget", "-q", "--spider", f"http://127.0.0.1:{_PORT}/-/healthy"]
    fixed: Mapping[str, Data] = {
        "image": "prom/prometheus:v3.1.0",
        "profiles": ["monitoring"],
        "user": "65534:65534",
        "stop_grace_period": "30s",
        "volumes": [
            f"./{CONFIGURATION}:/etc/prometheus/prometheus.yml:ro",
            "prometheus-data:/prometheus",
        ],
        "tmpfs": ["/tmp"],
        "ports": [published("PROMETHEUS_PORT", _PORT, _PORT)],
        "networks": ["edge"],
    }
    return container(fixed, probe(asked, ProbePlan()), limits("1", "512M", 128))


def prometheus_configuration(services: Sequence[ServiceSummary]) -> Mapping[str, Data]:
    """Scrapes `/metrics` of every service."""
    return {
        "global": {"scrape_interval": "15s"},
        "scrape_configs": [
            {
                "job_name": service.slug,
                "static_configs": [{"targets": [f"{service.slug}:{service.internal_port}"]}],
            }
            for service in services
        ],
    }
