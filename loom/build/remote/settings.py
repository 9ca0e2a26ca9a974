"""What `remote:` in loom.yaml and the `LOOM_REMOTE_*` variables say together, as plain data.

In: texts. Out: `Remote`, or a ValueError. Never: a secret: only the names of the files that hold one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

POLICIES = ("auto", "required", "off")
UPLOADS = ("never", "ci", "always")
_SCHEMES = ("file", "http", "https", "grpc", "grpcs")


class Remote(NamedTuple):
    """Where results are shared. `cache` is empty when nowhere; the others are empty when there are none.

    `trust` (files) and `also_read` (namespaces) are lists, their items between commas.
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

    @property
    def believed(self) -> tuple[str, str, str]:
        """What decides whose results are used."""
        return self.trust, self.namespace, self.also_read


_NAMESPACE = re.compile("[a-z0-9][a-z0-9._-]{0,62}")
_VARIABLES = {name: f"LOOM_REMOTE_{name.upper()}" for name in Remote._fields}


def remote_of(plain: tuple[str, ...], environment: Mapping[str, str]) -> Remote:
    """The variables win over loom.yaml, field by field."""
    said = Remote(*plain)
    given = {name: environment[variable] for name, variable in _VARIABLES.items() if environment.get(variable)}
    for name, value in given.items():
        if wrong := mistake(name, value):
            raise ValueError(f"{_VARIABLES[name]}: {wrong}")
    return said._replace(**given)


def uploads(remote: Remote, environment: Mapping[str, str]) -> bool:
    """`ci` means: where the variable CI is set, as every CI service sets it."""
    in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
    return remote.upload == "always" or (remote.upload == "ci" and in_ci)


def mistake(name: str, value: str) -> str:
    """What is wrong with one field; empty when nothing is."""
    match name:
        case "cache":
            return _address_mistake(value)
        case "policy":
            return _choice_mistake(value, POLICIES)
        case "upload":
            return _choice_mistake(value, UPLOADS)
        case "namespace" | "also_read":
            return _namespace_mistake(listed(value))
        case _:
            return ""


def listed(value: str) -> tuple[str, ...]:
    """The items of a list that is written as one text."""
    return tuple(item for part in value.split(",") if (item := part.strip()))


def _namespace_mistake(names: tuple[str, ...]) -> str:
    wrong = [name for name in names if not _NAMESPACE.fullmatch(name)]
    return f"`{wrong[0]}` must be of lower-case letters, digits, `.`, `_` and `-`" if wrong else ""


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
