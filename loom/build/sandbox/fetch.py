"""What an action with `network: fetch` sees of the host beyond the fixed world: how to reach its registries.

In: the host's environment and name-service files. Out: variables and read-only files.
Never: part of a key, because the result of a fetch must match a lock whatever mirror it came from.
"""

from __future__ import annotations

import os
from pathlib import Path

_VARIABLES = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_DEFAULT_TIMEOUT", "UV_DEFAULT_INDEX", "UV_INDEX_URL",
    "NPM_CONFIG_REGISTRY", "npm_config_registry",
)  # fmt: skip

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
_BUNDLE_NAMES = ("SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS")


def variables() -> dict[str, str]:
    """Mirror, proxy and certificate settings, the certificates at their place in the sandbox."""
    kept = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    return kept | (dict.fromkeys(_BUNDLE_NAMES, CERTIFICATES) if _bundle() else {})


def files() -> list[tuple[str, str]]:
    """(host path, path in the sandbox) of name service and certificates."""
    pairs = [(os.path.realpath(path), path) for path in ("/etc/resolv.conf", "/etc/hosts") if Path(path).exists()]
    bundle = _bundle()
    return [*pairs, (bundle, CERTIFICATES)] if bundle else pairs


def _bundle() -> str:
    for place in (os.environ.get("SSL_CERT_FILE", ""), CERTIFICATES):
        if place and Path(place).is_file():
            return os.path.realpath(place)
    return ""
