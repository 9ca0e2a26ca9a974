"""What every container of a compose file has in common: hardening, limits, logs, probes.

In: what differs. Out: parts of a compose service, as data. Never: text, or a choice that depends on a backend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# What YAML can say and a compose file needs.
Data = str | int | bool | None | Sequence["Data"] | Mapping[str, "Data"]

HARDENING: Mapping[str, Data] = {
    "restart": "unless-stopped",
    "init": True,
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "logging": {"driver": "json-file", "options": {"max-size": "10m", "max-file": "3"}},
}


def limits(cpus: str, memory: str, processes: int) -> Mapping[str, Data]:
    """The most that a container may take."""
    return {"deploy": {"resources": {"limits": {"cpus": cpus, "memory": memory, "pids": processes}}}}


def probe(test: Sequence[str], *, timeout: str = "3s") -> Mapping[str, Data]:
    """Asks often while a container starts, and every five seconds then; without a test the image's own is asked."""
    timing: dict[str, Data] = {
        "interval": "5s",
        "timeout": timeout,
        "retries": 10,
        "start_period": "30s",
        "start_interval": "1s",
    }
    asked: dict[str, Data] = {"test": list(test)} if test else {}
    return {"healthcheck": {**asked, **timing}}


def published(variable: str, port: int, internal: int) -> str:
    """A port that only this machine reaches; the variable moves it."""
    return f"127.0.0.1:${{{variable}:-{port}}}:{internal}"
