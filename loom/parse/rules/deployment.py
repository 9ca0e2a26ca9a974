"""The rules of storages, resources, deployables, apis and end-to-end tests.

In: tokens, and clauses `name: value, …` whatever they say. Out: declarations.
Never: a clause that nobody knows: it is reported here, with the names that there are.
"""

from __future__ import annotations

from typing import TypeGuard

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
)
from loom.parse.draft import Draft
from loom.parse.rules.clauses import (
    WRONG,
    Item,
    Number,
    Settings,
    Text,
    choice,
    config,
    flat,
    known,
    listed,
    named,
    one,
    reference,
    settings,
)
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
_KNOBS = ("persistence", "directoryLayout")
_DEPLOYABLE = ("platform", "contexts", "dataSources", "channels", "serves", "port", "auth", *_INTERFACE)


Written = list[Clause | list[NameRef]]
_CHANNEL = {"delivery": ("broadcast", "queue"), "retention": ("ephemeral", "log", "work")}


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
    return Settings(reference(head), clauses if isinstance(clauses, list) else [])


def item_call(d: Draft, kind: int, value: int) -> Connection:
    return Connection(d.numbers[kind], d.texts[kind], d.texts[value])


def item_path(d: Draft, entity: int, columns: list[int] | int) -> Index:
    several = columns if isinstance(columns, list) else [columns]
    return Index(d.numbers[entity], d.texts[entity], names(d, several))


def clause(d: Draft, token: int, items: list[Item], comma: int = 0) -> Clause:
    return Clause(d.numbers[token], d.texts[token], items)


def storage(d: Draft, token: int, written: list[Clause]) -> Storage:
    clauses = known(d, written, _STORAGE)
    connection = one(d, clauses, "connection")
    if connection is not None and not isinstance(connection, Connection):
        d.reject(clauses["connection"].at, WRONG.format("connection"), 'write for example `env("NAME")`')
        connection = None
    kind, instance = named(d, clauses, "type"), named(d, clauses, "instance")
    return Storage(d.numbers[token], d.texts[token], kind, instance, connection, config(d, clauses))


def resource(d: Draft, token: int, written: list[Clause]) -> Resource:
    clauses = known(d, written, _RESOURCE)
    indexes: list[Index] = []
    for item in flat(clauses["index"].value) if "index" in clauses else ():
        if isinstance(item, Index):
            indexes.append(item)
        else:
            d.reject(clauses["index"].at, WRONG.format("index"), "write `[Aggregate.field, Aggregate.(a, b)]`")
    return Resource(
        d.numbers[token],
        d.texts[token],
        named(d, clauses, "for"),
        named(d, clauses, "kind"),
        named(d, clauses, "use"),
        settings(d, [clauses[name] for name in _SETTINGS if name in clauses]),
        tuple(indexes),
        config(d, clauses),
    )


def deployable(d: Draft, token: int, written: list[Clause]) -> Deployable | None:
    """None for one that serves a user interface alone, whatever its platform."""
    clauses = known(d, written, _DEPLOYABLE)
    interface = [name for name in _INTERFACE if name in clauses]
    for name in interface:
        d.ignore(d.tokens.starts[token], name)
    if interface and "contexts" not in clauses:
        return None
    platform, port = one(d, clauses, "platform"), clauses.get("port")
    knobs: dict[str, Clause] = {}
    if isinstance(platform, Settings):
        knobs = known(d, platform.clauses, _KNOBS)
        platform = platform.head
    return Deployable(
        d.numbers[token],
        d.texts[token],
        reference(platform),
        listed(d, clauses, "contexts"),
        listed(d, clauses, "dataSources"),
        listed(d, clauses, "channels"),
        listed(d, clauses, "serves"),
        _port(d, port) if port else None,
        choice(d, clauses, "auth", ("required", "ui")),
        named(d, knobs, "persistence"),
        named(d, knobs, "directoryLayout"),
    )


def _port(d: Draft, clause: Clause) -> Setting | None:
    """The setting, where its value stands."""
    value = clause.value[0]
    at = value.at if isinstance(value, NameRef | Text | Number) else clause.at
    return next(iter(settings(d, [clause._replace(at=at)])), None)


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
    style = known(d, [item for item in written if isinstance(item, Clause)], ("urlStyle",))
    return Api(
        d.numbers[token],
        d.texts[token],
        clauses.value("from"),
        named(d, style, "urlStyle"),
        tuple(item for item in written if isinstance(item, HttpStatus)),
        tuple(item for item in written if isinstance(item, Route)),
        clauses.value("with") or (),
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
    clauses = known(d, written, ("carries", *_CHANNEL, "key"))
    delivery, retention = (choice(d, clauses, name, choices) for name, choices in _CHANNEL.items())
    carries = listed(d, clauses, "carries")
    return Channel(d.numbers[token], d.texts[token], carries, delivery, retention, named(d, clauses, "key"))


def channel_source(d: Draft, token: int, written: list[Clause]) -> ChannelSource:
    clauses = known(d, written, ("for", "use"))
    return ChannelSource(d.numbers[token], d.texts[token], named(d, clauses, "for"), named(d, clauses, "use"))


def timer_source(d: Draft, token: int, written: list[Clause]) -> TimerSource:
    clauses = known(d, written, ("for", "cron", "every", "in", "overlap"))
    cron, every, zone = (
        next(iter(settings(d, [clauses[name]])), None) if name in clauses else None for name in ("cron", "every", "in")
    )
    overlap = choice(d, clauses, "overlap", ("allow",))
    return TimerSource(d.numbers[token], d.texts[token], named(d, clauses, "for"), cron, every, zone, overlap)


def requirement(d: Draft, name: NameRef, written: list[Clause]) -> Requirement:
    return Requirement(name.at, name.name, None, settings(d, [_as_text(item) for item in written]))


def sub_requirement(d: Draft, name: NameRef, parent: NameRef, written: list[Clause]) -> Requirement:
    return Requirement(name.at, name.name, parent, settings(d, [_as_text(item) for item in written]))


def _as_text(clause: Clause) -> Clause:
    """A list of names, texts and numbers, which is kept as the text that people would write."""
    items = flat(clause.value)
    if items == clause.value and len(items) == 1:
        return clause
    said = [item.name if isinstance(item, NameRef) else str(item.value) for item in items if _is_plain(item)]
    is_plain = len(said) == len(items)
    return clause._replace(value=[Text(clause.at, ", ".join(said))]) if is_plain else clause


def _is_plain(item: Item) -> TypeGuard[NameRef | Text | Number]:
    return isinstance(item, NameRef | Text | Number)


def solution(d: Draft, name: NameRef, of: NameRef, written: Written) -> Solution:
    return Solution(name.at, name.name, of, *_traced(d, written))


def test_case(d: Draft, name: NameRef, of: NameRef, written: Written) -> TestCase:
    return TestCase(name.at, name.name, of, *_traced(d, written))


def _traced(d: Draft, written: Written) -> tuple[tuple[Setting, ...], tuple[NameRef, ...]]:
    clauses = [item for item in written if isinstance(item, Clause)]
    parts = [part for item in written if not isinstance(item, Clause) for part in item]
    return settings(d, list(known(d, clauses, ("title",)).values())), tuple(parts)


def trace_paths(d: Draft, paths: list[NameRef]) -> list[NameRef]:
    return paths


def no_paths(d: Draft, token: int) -> list[NameRef]:
    return []


def last_paths(d: Draft, paths: list[NameRef], comma: int) -> list[NameRef]:
    return paths
