"""The rules of storages, resources, deployables, apis and end-to-end tests.

In: tokens, and clauses `name: value, …` whatever they say. Out: declarations.
Never: a clause that nobody knows: it is reported here, with the names that there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from loom.base import nearest
from loom.parse.ast import (
    Api,
    Channel,
    ChannelSource,
    Connection,
    Deployable,
    EndToEndTest,
    HttpStatus,
    Index,
    NameRef,
    Requirement,
    Resource,
    Route,
    Setting,
    Solution,
    Statement,
    Storage,
    TestCase,
    TimerSource,
    Unsupported,
)
from loom.parse.draft import Draft
from loom.parse.rules.members import Clause, names, sort

_STORAGE = ("type", "instance", "connection", "config")
_SETTINGS = (
    "schema",
    "tablePrefix",
    "keyPrefix",
    "ttl",
    "every",
    "retain",
    "isolationLevel",
    "readonly",
    "shape",
)
_RESOURCE = ("for", "kind", "use", *_SETTINGS, "index", "config")
_INTERFACE = ("targets", "ui", "hosts", "design", "favicon")
_DEPLOYABLE = ("platform", "contexts", "dataSources", "channels", "serves", "port", "auth", *_INTERFACE)


Written = list[Clause | list[NameRef]]
_CHANNEL = {"delivery": ("broadcast", "queue"), "retention": ("ephemeral", "log", "work")}
_WRONG = "the wrong kind of value after `{}:`"


class Settings(NamedTuple):
    """`{ name: value, … }`, with what stood before the brace."""

    head: NameRef | None
    clauses: list[Clause]


class Text(NamedTuple):
    at: int
    value: str


class Number(NamedTuple):
    at: int
    value: int


Item = NameRef | Text | Number | bool | Connection | Index | Settings | list["Item"]


def item_name(d: Draft, token: int) -> NameRef:
    return NameRef(d.numbers[token], d.texts[token])


def item_string(d: Draft, token: int) -> Text:
    return Text(d.numbers[token], d.texts[token])


def item_integer(d: Draft, token: int) -> Number:
    return Number(d.numbers[token], int(d.texts[token]))


def item_true(d: Draft, token: int) -> bool:
    return True


def item_false(d: Draft, token: int) -> bool:
    return False


def item_list(d: Draft, items: list[Item] | int, comma: int = 0) -> list[Item]:
    return items if isinstance(items, list) else []


def item_object(d: Draft, *parts: NameRef | Text | list[Clause]) -> Settings:
    head, clauses = (None, *parts)[-2:]
    return Settings(_reference(head), clauses if isinstance(clauses, list) else [])


def item_call(d: Draft, kind: int, value: int) -> Connection:
    return Connection(d.numbers[kind], d.texts[kind], d.texts[value])


def item_path(d: Draft, entity: int, columns: list[int] | int) -> Index:
    listed = columns if isinstance(columns, list) else [columns]
    return Index(d.numbers[entity], d.texts[entity], names(d, listed))


def clause(d: Draft, token: int, items: list[Item], comma: int = 0) -> Clause:
    return Clause(d.numbers[token], d.texts[token], items)


def _known(d: Draft, clauses: Sequence[Clause], known: Sequence[str]) -> dict[str, Clause]:
    """The clauses by name, the unknown ones reported."""
    for item in clauses:
        if item.name not in known:
            near = nearest(item.name, known)
            said = f"did you mean `{near}`?" if near else "expected one of `" + "`, `".join(known) + "`"
            d.reject(item.at, f"unknown clause `{item.name}:`", said)
    return sort(d, [item for item in clauses if item.name in known]).found


def _one(d: Draft, clauses: dict[str, Clause], name: str) -> Item | None:
    """The only value of a clause."""
    if name not in clauses:
        return None
    found = clauses[name]
    if len(found.value) != 1:
        d.reject(found.at, f"a list after `{name}:`", "write one value")
    value: Item = found.value[0]
    return value


def _reference(item: Item | list[Clause] | None) -> NameRef | None:
    if isinstance(item, Text):
        return NameRef(item.at, item.value)
    return item if isinstance(item, NameRef) else None


def _name(d: Draft, clauses: dict[str, Clause], name: str) -> NameRef | None:
    value = _one(d, clauses, name)
    found = _reference(value)
    if value is not None and found is None:
        d.reject(clauses[name].at, _WRONG.format(name), "write a name")
    return found


def _names(d: Draft, clauses: dict[str, Clause], name: str) -> tuple[NameRef, ...]:
    """`a, b` or `[a, b]`."""
    if name not in clauses:
        return ()
    found: list[NameRef] = []
    for item in _flat(clauses[name].value):
        if isinstance(item, NameRef):
            found.append(item)
        else:
            d.reject(clauses[name].at, _WRONG.format(name), "write names")
    return tuple(found)


def _flat(items: list[Item]) -> list[Item]:
    return [part for item in items for part in (item if isinstance(item, list) else [item])]


def _settings(d: Draft, clauses: Sequence[Clause]) -> tuple[Setting, ...]:
    """Scalar clauses."""
    found: list[Setting] = []
    for item in clauses:
        value = item.value[0]
        if isinstance(value, Text | Number):
            value = value.value
        if len(item.value) == 1 and isinstance(value, str | int | NameRef):
            found.append(Setting(item.at, item.name, value))
        else:
            d.reject(item.at, _WRONG.format(item.name), "write a name, a string, a number, `true` or `false`")
    return tuple(found)


def _config(d: Draft, clauses: dict[str, Clause]) -> tuple[Setting, ...]:
    value = _one(d, clauses, "config")
    if value is None:
        return ()
    if not isinstance(value, Settings):
        d.reject(clauses["config"].at, _WRONG.format("config"), "write `{ name: value, … }`")
        return ()
    return _settings(d, list(sort(d, value.clauses).found.values()))


def storage(d: Draft, token: int, written: list[Clause]) -> Storage:
    clauses = _known(d, written, _STORAGE)
    connection = _one(d, clauses, "connection")
    if connection is not None and not isinstance(connection, Connection):
        d.reject(clauses["connection"].at, _WRONG.format("connection"), 'write `env("NAME")`, say')
        connection = None
    kind, instance = _name(d, clauses, "type"), _name(d, clauses, "instance")
    return Storage(d.numbers[token], d.texts[token], kind, instance, connection, _config(d, clauses))


def resource(d: Draft, token: int, written: list[Clause]) -> Resource:
    clauses = _known(d, written, _RESOURCE)
    indexes: list[Index] = []
    for item in _flat(clauses["index"].value) if "index" in clauses else ():
        if isinstance(item, Index):
            indexes.append(item)
        else:
            d.reject(clauses["index"].at, _WRONG.format("index"), "write `[Aggregate.field, Aggregate.(a, b)]`")
    return Resource(
        d.numbers[token],
        d.texts[token],
        _name(d, clauses, "for"),
        _name(d, clauses, "kind"),
        _name(d, clauses, "use"),
        _settings(d, [clauses[name] for name in _SETTINGS if name in clauses]),
        tuple(indexes),
        _config(d, clauses),
    )


def deployable(d: Draft, token: int, written: list[Clause]) -> Deployable:
    clauses = _known(d, written, _DEPLOYABLE)
    features = [Unsupported(clauses[name].at, name, "") for name in ("channels", "auth") if name in clauses]
    for name in _INTERFACE:
        if name in clauses:
            d.ignore(d.tokens.starts[token], name)
    platform, port = _one(d, clauses, "platform"), clauses.get("port")
    if isinstance(platform, Settings):
        features += [Unsupported(item.at, f"platform {item.name}", "") for item in platform.clauses]
        platform = platform.head
    return Deployable(
        d.numbers[token],
        d.texts[token],
        _reference(platform),
        _names(d, clauses, "contexts"),
        _names(d, clauses, "dataSources"),
        _names(d, clauses, "serves"),
        _port(d, port) if port else None,
        tuple(features),
    )


def _port(d: Draft, clause: Clause) -> Setting | None:
    """The setting, where its value stands."""
    value = clause.value[0]
    at = value.at if isinstance(value, NameRef | Text | Number) else clause.at
    return next(iter(_settings(d, [clause._replace(at=at)])), None)


def api_from(d: Draft, token: int, name: int) -> Clause:
    return Clause(d.numbers[token], "from", NameRef(d.numbers[name], d.texts[name]))


def http_status(d: Draft, token: int, error: int, status: int) -> HttpStatus:
    return HttpStatus(d.numbers[error], d.texts[error], int(d.texts[status]))


def route(d: Draft, token: int, method: int, path: int, context: int, handler: int) -> Route:
    target = names(d, [context, handler])
    return Route(d.numbers[method], d.texts[method], d.texts[path], target[0], target[1])


def api(d: Draft, token: int, headers: list[Clause], body: list[Clause | HttpStatus | Route] | None = None) -> Api:
    written = body or []
    clauses = sort(d, headers)
    settings = _known(d, [item for item in written if isinstance(item, Clause)], ("urlStyle",))
    return Api(
        d.numbers[token],
        d.texts[token],
        clauses.value("from"),
        _name(d, settings, "urlStyle"),
        tuple(item for item in written if isinstance(item, HttpStatus)),
        tuple(item for item in written if isinstance(item, Route)),
        clauses.features,
    )


def end_to_end(
    d: Draft, title: int, against: list[int], verified: NameRef | list[Statement], body: list[Statement] | None = None
) -> EndToEndTest:
    verifies = verified if isinstance(verified, NameRef) else None
    statements = verified if isinstance(verified, list) else body or []
    return EndToEndTest(d.numbers[title], d.texts[title], names(d, against), tuple(statements), verifies)


def first_trace(d: Draft, token: int) -> NameRef:
    return NameRef(d.numbers[token], d.texts[token])


def next_trace(d: Draft, before: NameRef, minus: int, token: int) -> NameRef:
    """`US-001` is one name."""
    return NameRef(before.at, f"{before.name}-{d.texts[token]}")


def next_path(d: Draft, before: NameRef, token: int) -> NameRef:
    return NameRef(before.at, f"{before.name}.{d.texts[token]}")


def channel(d: Draft, token: int, written: list[Clause]) -> Channel:
    clauses = _known(d, written, ("carries", *_CHANNEL, "key"))
    delivery, retention = (_choice(d, clauses, name, choices) for name, choices in _CHANNEL.items())
    carries = _names(d, clauses, "carries")
    return Channel(d.numbers[token], d.texts[token], carries, delivery, retention, _name(d, clauses, "key"))


def _choice(d: Draft, clauses: dict[str, Clause], name: str, choices: Sequence[str]) -> NameRef | None:
    chosen = _name(d, clauses, name)
    if chosen is not None and chosen.name not in choices:
        d.reject(chosen.at, f"unknown `{name}: {chosen.name}`", "expected one of `" + "`, `".join(choices) + "`")
        return None
    return chosen


def channel_source(d: Draft, token: int, written: list[Clause]) -> ChannelSource:
    clauses = _known(d, written, ("for", "use"))
    return ChannelSource(d.numbers[token], d.texts[token], _name(d, clauses, "for"), _name(d, clauses, "use"))


def timer_source(d: Draft, token: int, written: list[Clause]) -> TimerSource:
    clauses = _known(d, written, ("for", "cron", "every", "in", "overlap"))
    cron, every, zone = (
        next(iter(_settings(d, [clauses[name]])), None) if name in clauses else None for name in ("cron", "every", "in")
    )
    overlap = _choice(d, clauses, "overlap", ("allow",))
    return TimerSource(d.numbers[token], d.texts[token], _name(d, clauses, "for"), cron, every, zone, overlap)


def requirement(d: Draft, name: NameRef, written: list[Clause]) -> Requirement:
    return Requirement(name.at, name.name, None, _settings(d, written))


def sub_requirement(d: Draft, name: NameRef, parent: NameRef, written: list[Clause]) -> Requirement:
    return Requirement(name.at, name.name, parent, _settings(d, written))


def solution(d: Draft, name: NameRef, of: NameRef, written: Written) -> Solution:
    return Solution(name.at, name.name, of, *_traced(d, written))


def test_case(d: Draft, name: NameRef, of: NameRef, written: Written) -> TestCase:
    return TestCase(name.at, name.name, of, *_traced(d, written))


def _traced(d: Draft, written: Written) -> tuple[tuple[Setting, ...], tuple[NameRef, ...]]:
    clauses = [item for item in written if isinstance(item, Clause)]
    parts = [part for item in written if not isinstance(item, Clause) for part in item]
    return _settings(d, list(_known(d, clauses, ("title",)).values())), tuple(parts)


def trace_paths(d: Draft, paths: list[NameRef]) -> list[NameRef]:
    return paths


def no_paths(d: Draft, token: int) -> list[NameRef]:
    return []


def last_paths(d: Draft, paths: list[NameRef], comma: int) -> list[NameRef]:
    return paths
