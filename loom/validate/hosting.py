"""Deployables: platforms, slugs, ports, what they host and serve.

In: the system and the facts of the backends. Out: diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loom.base import Diagnostic, Facts, Style, snake, words
from loom.ir import deployment
from loom.lower.problems import UnsupportedFeature
from loom.validate.problems import (
    ApiUnhosted,
    ContextUnhosted,
    DeployableEmpty,
    DuplicateHostPort,
    DuplicateServiceSlug,
    PlatformKnobOutOfMenu,
    PlatformKnobStyleLayoutMismatch,
    PortOutOfRange,
    SubdomainConflictingUrlstyle,
    UnknownPlatform,
)
from loom.validate.where import Where

_LAST_PORT = 65535
_WITHOUT_BACKEND = ("dotnet", "elixir", "go", "java")
"""Platforms of the language that nothing builds yet; no backend's name may stand here (`tests/architecture`)."""


def platforms(system: deployment.System, facts: Mapping[str, Facts], where: Where) -> Iterator[Diagnostic]:
    known = ", ".join(sorted(facts))
    for item in system.deployables:
        at = where(item.name, "platform")
        if item.platform in _WITHOUT_BACKEND:
            remedy = f"choose another platform ({known})"
            yield UnsupportedFeature(at=at, target="loom", feature=f"platform `{item.platform}`", remedy=remedy)
        elif item.platform and item.platform not in facts:
            yield UnknownPlatform(at=at, name=item.platform, known=known)


def knobs(system: deployment.System, facts: Mapping[str, Facts], where: Where) -> Iterator[Diagnostic]:
    """Of a platform that has no backend nothing is said."""
    for item in system.deployables:
        if item.platform in facts:
            yield from _knobs(item, facts[item.platform].styles, where)


def _knobs(item: deployment.Deployable, styles: Sequence[Style], where: Where) -> Iterator[Diagnostic]:
    menu = [style.persistence for style in styles]
    yield from _knob(item, "persistence", item.persistence, menu, where)
    chosen = [style for style in styles if item.persistence in ("", style.persistence)] or styles
    able = list(dict.fromkeys(layout for style in chosen for layout in style.layouts))
    if item.layout not in able and any(item.layout in style.layouts for style in styles):
        at, known = where(item.name, "layout"), ", ".join(able)
        yield PlatformKnobStyleLayoutMismatch(at=at, style=item.persistence, layout=item.layout, known=known)
    else:
        yield from _knob(item, "layout", item.layout, able, where)


def _knob(
    item: deployment.Deployable, knob: str, value: str, menu: Sequence[str], where: Where
) -> Iterator[Diagnostic]:
    """The first of what is on a menu is what the backend emits."""
    at = where(item.name, knob)
    if value and value not in menu:
        yield PlatformKnobOutOfMenu(at=at, platform=item.platform, value=value, known=", ".join(menu))
    elif value and value != menu[0]:
        yield UnsupportedFeature(at=at, target=item.platform, feature=f"`{value}`")


def slugs(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    taken: dict[str, str] = {}
    for item in system.deployables:
        slug = snake(words(item.name))
        other = taken.setdefault(slug, item.name)
        if other != item.name:
            yield DuplicateServiceSlug(at=where(item.name), case="deployable", first=other, second=item.name, slug=slug)


def ports(system: deployment.System, facts: Mapping[str, Facts], where: Where) -> Iterator[Diagnostic]:
    taken: dict[int, str] = {}
    for item in system.deployables:
        if item.port is not None and not 1 <= item.port <= _LAST_PORT:
            yield PortOutOfRange(at=where(item.name, "port"), name=item.name, port=item.port)
            continue
        port = host_port(item, facts)
        if port and taken.setdefault(port, item.name) != item.name:
            yield DuplicateHostPort(at=where(item.name), first=taken[port], second=item.name, port=port)


def host_port(item: deployment.Deployable, facts: Mapping[str, Facts]) -> int:
    """A port that is not written is the platform's own; 0 when there is no such platform."""
    default = facts[item.platform].default_port if item.platform in facts else 0
    return item.port or default


def contexts(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    hosted = {name for item in system.deployables for name in item.contexts}
    for item in system.deployables:
        if not item.contexts:
            yield DeployableEmpty(at=where(item.name), name=item.name)
    if all(item.contexts for item in system.deployables) and hosted:  # what hosts nothing may be to host them
        for name in system.contexts:
            if name not in hosted:
                yield ContextUnhosted(at=where(name), name=name)


def apis(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    subdomains = {item.name: set(item.contexts) for item in system.subdomains}
    sources = {item.name: item.subdomain for item in system.apis}
    for item in system.deployables:
        for api in item.serves:
            subdomain = sources.get(api, "")
            if subdomain and subdomains.get(subdomain, set()).isdisjoint(item.contexts):
                at = where(item.name, "serves", api)
                yield ApiUnhosted(at=at, deployable=item.name, api=api, subdomain=subdomain)


def url_styles(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    styles: dict[str, deployment.Api] = {}
    for item in system.apis:
        first = styles.setdefault(item.subdomain, item)
        if item.subdomain and first.resource_style != item.resource_style:
            yield SubdomainConflictingUrlstyle(
                at=where(item.name), first=first.name, second=item.name, subdomain=item.subdomain
            )
