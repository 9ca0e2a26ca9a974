"""What a compose file holds beside a system's services, and what validation keeps free for it, are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

import yaml

from loom.base import Facts
from loom.plan.model import SystemPlan
from loom.render import render
from loom.validate.reserved import PORTS, SLUGS

EMPTY = SystemPlan(system="HTTPHarbourOps", services=(), wire_spec="{}\n", messages="{}\n")
FACTS: Iterable[Facts] = ()
FILES = {file.path: file.text for file in render(EMPTY, FACTS).files}
DOCUMENT = yaml.safe_load(FILES["docker-compose.yml"])


def test_slugs_of_compose_services_are_kept_free() -> None:
    assert set(DOCUMENT["services"]) == {"db", "prometheus"}
    assert set(DOCUMENT["services"]) <= set(SLUGS)


def test_folders_that_a_slug_could_name_are_kept_free() -> None:
    folders = {path.partition("/")[0] for path in FILES if "/" in path} | {
        secret["file"].split("/")[1] for secret in DOCUMENT["secrets"].values()
    }
    assert {folder for folder in folders if re.fullmatch("[a-z][a-z0-9_]*", folder)} == {"monitoring", "secrets"}
    assert {"monitoring", "secrets"} <= set(SLUGS)


def test_published_ports_are_kept_free() -> None:
    published = [text for service in DOCUMENT["services"].values() for text in service.get("ports", ())]
    assert {int(text.split(":-")[1].partition("}")[0]) for text in published} == {9090}
    assert 9090 in PORTS
