"""What every container of a compose file has in common: hardening, limits, logs, probes.

In: what differs. Out: parts of a compose service, as data. Never: text, or a choice that depends on a backend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.plan.limits import ProbePlan

# What YAML can say and a compose file needs.
Data = str | int | bool | None | Sequence["Data"] | Mapping[str, "Data"]

# What sets a container apart comes first; linters of compose files expect this order.
_ORDER = (
    "image", "build", "depends_on", "volumes", "secrets", "environment", "ports", "networks", "restart", "healthcheck",
    "logging", "user", "cap_drop", "deploy", "init", "profiles", "read_only", "security_opt", "shm_size",
    "stop_grace_period", "tmpfs",
)  # fmt: skip

HARDENING: Mapping[str, Data] = {
    "restart": "unless-stopped",
    "init": True,
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "logging": {"driver": "json-file", "options": {"max-size": "10m", "max-file": "3"}},
}


class Quoted(str):
    """A text that YAML must print in quotes, lest a reader take it for a number."""


def container(*parts: Mapping[str, Data]) -> Mapping[str, Data]:
    """One compose service out of its parts; ValueError for a key without a place in the order."""
    joined = {key: value for part in (HARDENING, *parts) for key, value in part.items()}
    return dict(sorted(joined.items(), key=lambda item: _ORDER.index(item[0])))


def limits(cpus: str, memory: str, processes: int) -> Mapping[str, Data]:
    """The most that a container may take."""
    return {"deploy": {"resources": {"limits": {"cpus": cpus, "memory": memory, "pids": processes}}}}


def probe(test: Sequence[str], asked: ProbePlan) -> Mapping[str, Data]:
    """Whether a container is ready; without a test the image's own is asked."""
    timing: dict[str, Data] = {
        "interval": f"{asked.ready_interval}s",
        "timeout": f"{asked.timeout}s",
        "retries": asked.ready_failures,
        "start_period": f"{asked.start}s",
        "start_interval": f"{asked.starting_interval}s",
    }
    command: dict[str, Data] = {"test": list(test)} if test else {}
    return {"healthcheck": {**command, **timing}}


def published(variable: str, port: int, internal: int) -> str:
    """A port that only this machine reaches; the variable moves it."""
    return Quoted(f"127.0.0.1:${{{variable}:-{port}}}:{internal}")
