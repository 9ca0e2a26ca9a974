"""What `remote:` in loom.yaml and the `LOOM_REMOTE_*` variables say together, as plain data.

In: texts. Out: `Remote`, or a ValueError. Never: a secret: only the names of the files that hold one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from loom.build.remote.asked import ASKED

POLICIES = ("auto", "required", "off")
UPLOADS = ("never", "ci", "always")
EXECUTIONS = ("auto", "required", "off")
# How buildbox's runners are told whose the files of an action are; others ignore it or have words of their own.
PLATFORM = "OSFamily=linux,unixGID=1000,unixUID=1000"
_SCHEMES = ("file", "http", "https", "grpc", "grpcs")


class Remote(NamedTuple):
    """Where results are shared, and where actions run. `cache` and `executor` are empty when nowhere, the others
    when there are none.

    `trust` (files), `also_read` (namespaces) and `platform` (`name=value`) are lists, their items between commas.
    """

    cache: str = ""
    policy: str = "auto"
    upload: str = "ci"
    token_file: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    trust: str = ""
    signing_key_file: str = ""
    namespace: str = ""
    also_read: str = ""
    executor: str = ""
    execution: str = "off"
    jobs: str = "4"
    platform: str = PLATFORM

    @property
    def believed(self) -> tuple[str, ...]:
        """What decides whose results are used."""
        return self.trust, self.namespace, self.also_read, self.executor

    @property
    def at_once(self) -> int:
        """How many actions run at the executor at once."""
        return int(self.jobs)

    @property
    def properties(self) -> dict[str, str]:
        """What a worker must be like."""
        return dict(_pair(item) for item in listed(self.platform))


_JOBS = re.compile("[1-9][0-9]{0,2}")
_PROPERTY = re.compile("[A-Za-z][A-Za-z0-9._-]*")
# kept by tests/engine/project/test_loom_yaml.py::test_executor_may_open_no_hole
_REFUSED = frozenset(
    {"network", "inject", "capability", "remoteApisSocketPath", "chrootRootDigest", "chrootTreeDigest"}
)
_NAMESPACE = re.compile("[a-z0-9][a-z0-9._-]{0,62}")
TOKEN = "LOOM_REMOTE_TOKEN"
SIGNING_KEY = "LOOM_REMOTE_SIGNING_KEY"
SECRETS = (TOKEN, SIGNING_KEY)
"""Variables whose values are written nowhere."""
VARIABLES = {name: f"LOOM_REMOTE_{name.upper()}" for name in Remote._fields}


def remote_of(plain: tuple[str, ...], environment: Mapping[str, str]) -> Remote:
    """The variables win over loom.yaml, field by field."""
    said = Remote(*plain)
    given = {name: environment[variable] for name, variable in VARIABLES.items() if environment.get(variable)}
    for name, value in given.items():
        if wrong := mistake(name, value):
            raise ValueError(f"{VARIABLES[name]}: {wrong}")
    if environment.get(ASKED) == "1" and given.get("execution", said.execution) == "off":
        given["execution"] = "auto"
    return said._replace(**given)


def uploads(remote: Remote, environment: Mapping[str, str]) -> bool:
    """`ci` means: where the variable CI is set, as every CI service sets it."""
    in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
    return remote.upload == "always" or (remote.upload == "ci" and in_ci)


def mistake(name: str, value: str) -> str:
    """What is wrong with one field; empty when nothing is."""
    check = _CHECKS.get(name)
    return check(value) if check is not None else ""


def listed(value: str) -> tuple[str, ...]:
    """The items of a list that is written as one text."""
    return tuple(item for part in value.split(",") if (item := part.strip()))


def _namespace_mistake(value: str) -> str:
    wrong = [name for name in listed(value) if not _NAMESPACE.fullmatch(name)]
    return f"`{wrong[0]}` must be of lower-case letters, digits, `.`, `_` and `-`" if wrong else ""


def _executor_mistake(value: str) -> str:
    if not value.startswith(("grpc:", "grpcs:")):
        return "must be grpc(s)://host" if value else ""
    return _address_mistake(value)


def _jobs_mistake(value: str) -> str:
    return "" if _JOBS.fullmatch(value) else f"`{value}` is not a number from 1 to 999"


def _pair(item: str) -> tuple[str, str]:
    name, _, value = item.partition("=")
    return name, value


def _platform_mistake(value: str) -> str:
    for name, said in map(_pair, listed(value)):
        if not _PROPERTY.fullmatch(name) or not said:
            return f"`{name}` must be a name with a value, as in OSFamily=linux"
        if name in _REFUSED:
            return f"`{name}` would let an action see what its key does not hold"
    return ""


def _choice_mistake(value: str, allowed: tuple[str, ...]) -> str:
    return "" if value in allowed else f"`{value}` is not one of {', '.join(allowed)}"


def _address_mistake(value: str) -> str:
    """Never repeats the address: it may hold what should not be shown."""
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - raises for a port that is no number
    except ValueError:
        return "is no address"
    if parts.scheme not in _SCHEMES:
        return "must be file:///folder, http(s)://host or grpc(s)://host"
    if parts.username is not None or parts.password is not None:
        return "must not hold a password: use LOOM_REMOTE_TOKEN, or `token_file` or `certificate` of `remote`"
    if parts.query or parts.fragment:
        return "must end with its path"
    if parts.scheme == "file":
        sound = not parts.netloc and parts.path.startswith("/") and len(parts.path) > 1
        return "" if sound else "must be file:/// and an absolute folder"
    return "" if parts.hostname else "names no host"


_CHECKS: Mapping[str, Callable[[str], str]] = {
    "cache": _address_mistake,
    "policy": partial(_choice_mistake, allowed=POLICIES),
    "upload": partial(_choice_mistake, allowed=UPLOADS),
    "namespace": _namespace_mistake,
    "also_read": _namespace_mistake,
    "executor": _executor_mistake,
    "execution": partial(_choice_mistake, allowed=EXECUTIONS),
    "jobs": _jobs_mistake,
    "platform": _platform_mistake,
}
