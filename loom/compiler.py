"""The order of the pure stages, as data: what each reads, and so what a change can reach.

In: what the engine has made so far. Out: `STAGES`, and what there is to build: files, contexts, deployables.
Never: the work of a stage. Each room has a `stage` module of its own, so that a stage's key covers its code alone.
A unit of "context" is `<system>/<context>`; one of "deployable" is its slug.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from loom.base import Diagnostic, Facts, Value, snake, split_path, words
from loom.base.pipeline import Deployed, Hint, Input, Per, Products, SystemEntry
from loom.emit import backend, backend_names
from loom.emit import stage as emitting
from loom.ir import deployment
from loom.lower import stage as lowering
from loom.parse import report as print_report
from loom.parse import stage as parsing
from loom.parse.changes import changed as changed
from loom.parse.damage import Damage
from loom.parse.damage import believed as leave_standing
from loom.parse.report import Source
from loom.parse.stage import ContextEntry, DeployableEntry, FileIndex, may_be_read
from loom.plan import checks as checking
from loom.plan import features
from loom.plan import stage as planning
from loom.render import stage as rendering
from loom.validate import stage as validating

V = TypeVar("V", bound=Value)
Inputs = tuple[Input, ...]


class Stage(NamedTuple):
    """`run` gives its output and diagnostics; `reads` chooses the arguments of `run` for a unit."""

    name: str
    run: Callable[..., tuple[object, tuple[Diagnostic, ...]]]
    per: Per
    reads: Callable[[Products, str], Inputs]


def value(products: Products, kind: type[V], stage: str, unit: str, part: str = "value") -> V:
    found = products.value(products.part(stage, unit, part))
    if not isinstance(found, kind):
        raise TypeError(f"{stage} gave a {type(found).__name__} for {unit}")
    return found


# What there is


def files_of(products: Products, entries: Iterable[str]) -> tuple[str, ...]:
    """The files reached from `entries` through imports, each once; those that do not exist are left out."""
    found: dict[str, None] = {}
    waiting = deque(entries)
    while waiting:
        file = waiting.popleft()
        if file not in found and products.source(file) is not None:
            found[file] = None
            waiting += [item.path for item in _index(products, file).imports if may_be_read(item.path)]
    return tuple(found)


def files(products: Products, systems: tuple[SystemEntry, ...]) -> tuple[str, ...]:
    return files_of(products, [system.entry for system in systems])


def contexts(products: Products) -> tuple[str, ...]:
    found = [
        f"{system}/{entry.name}" for system in products.units("system") for _, entry in _contexts(products, system)
    ]
    return tuple(dict.fromkeys(found))


def deployables(products: Products) -> tuple[Deployed, ...]:
    """Those of known platforms; a slug that is taken twice is a mistake, which `validate` names."""
    known = set(backend_names())
    found: dict[str, Deployed] = {}
    for system in products.units("system"):
        for entry in _deployables(products, system):
            if entry.platform in known:
                slug = snake(words(entry.name))
                found.setdefault(slug, Deployed(slug, entry.platform, system))
    return tuple(found.values())


def checks(products: Products) -> Iterator[tuple[str, str]]:
    """Where mistakes are looked for; what is missing is only told where nothing that was written has been lost."""
    files = products.units("file")
    yield from ((stage, file) for stage in ("parse", "imports") for file in files)
    for system in products.units("system"):
        yield from _system_checks(products, system)


def _system_checks(products: Products, system: str) -> Iterator[tuple[str, str]]:
    own = _files(products, system)
    broken = _damages(products, system)
    astray = {file for file, damage in broken.items() if damage.is_whole}
    if not all(products.sound("imports", file) for file in own):
        return  # whatever a file that was not found declares would be called unknown
    if not own or any(not _index(products, file).contexts for file in astray):
        return  # what the root of the model holds is unknown
    yield "shared", system
    units = [unit for unit in _siblings(products, system) if _place(products, unit)[0] not in astray]
    lowered = [("lower", unit) for unit in units] + ([] if astray else [("system", system)])
    yield from lowered
    yield "root", system
    yield "root features", system
    for unit in units:
        yield from (("validate", unit), ("features", unit))
    if not broken:
        yield "deployment", system
        yield "system features", system
    if not broken and products.sound("system", system):
        yield "wiring", system
        yield "histories", system
    whole = [("shared", system), *lowered, ("root", system), ("root features", system)]
    if not broken and all(products.sound(*step) for step in whole):
        planned = [unit for unit in units if all(products.sound(stage, unit) for stage in ("validate", "features"))]
        yield from (("context", unit) for unit in planned)
        yield from (("service", slug) for slug in _planned_deployables(products, system, planned))


def believed(products: Products, stage: str, unit: str, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """What a stage found in a unit, without what comes of mistakes in the text; the parser's own always counts."""
    if stage in ("parse", "imports", "service") or not found:
        return found
    return leave_standing(found, _damages(products, unit.partition("/")[0]))


def _planned_deployables(products: Products, system: str, planned: Sequence[str]) -> Iterator[str]:
    """Deployables of which every context has a sound plan."""
    sound = {unit for unit in planned if products.sound("context", unit)}
    for item in deployables(products):
        if item.system == system:
            _, deployable = _deployed(products, item.slug)
            if sound.issuperset(f"{system}/{name}" for name in deployable.contexts):
                yield item.slug


def report(products: Products, diagnostics: tuple[Diagnostic, ...]) -> str:
    """Diagnostics as text, sorted and each once, with the lines that they are about."""
    return print_report(diagnostics, sources_of(products, diagnostics))


def sources_of(products: Products, diagnostics: Iterable[Diagnostic]) -> dict[str, Source]:
    """The files that diagnostics are about, as they are printed."""
    sources = {}
    for file in {split_path(item.at)[0] for item in diagnostics}:
        if (data := products.source(file)) is not None:
            origins = products.value(products.part("parse", file, "origins"))
            assert isinstance(origins, bytes)
            sources[file] = Source(parsing.source_text(file, data), parsing.origins(origins))
    return sources


def _index(products: Products, file: str) -> FileIndex:
    return value(products, FileIndex, "parse", file, "entries")


# What a system consists of is asked for by every unit of every stage, and is the same for the whole of a run.
@lru_cache(4)
def _files(products: Products, system: str) -> tuple[str, ...]:
    return files_of(products, [products.entry(system)])


@lru_cache(4)
def _contexts(products: Products, system: str) -> tuple[tuple[str, ContextEntry], ...]:
    """The file and entry of each context of a system."""
    return tuple((file, entry) for file in _files(products, system) for entry in _index(products, file).contexts)


@lru_cache(4)
def _places(products: Products, system: str) -> dict[str, tuple[str, ContextEntry]]:
    """The same by name; a second of its name is a mistake and never looked at."""
    return {entry.name: (file, entry) for file, entry in reversed(_contexts(products, system))}


@lru_cache(4)
def _damages(products: Products, system: str) -> dict[str, Damage]:
    """What mistakes in the text of files cost, by file."""
    return {file: damage for file in _files(products, system) if (damage := _index(products, file).damage)}


def _deployables(products: Products, system: str) -> Iterator[DeployableEntry]:
    for file in _files(products, system):
        yield from _index(products, file).deployables


def _place(products: Products, unit: str) -> tuple[str, ContextEntry]:
    """The file and entry of one context."""
    system, _, name = unit.partition("/")
    return _places(products, system)[name]


def _siblings(products: Products, system: str) -> tuple[str, ...]:
    return tuple(unit for unit in products.units("context") if unit.startswith(f"{system}/"))


def _deployed(products: Products, slug: str) -> tuple[str, deployment.Deployable]:
    """The system and the declaration of a deployable."""
    return _declared(products)[slug]


@lru_cache(4)
def _declared(products: Products) -> dict[str, tuple[str, deployment.Deployable]]:
    """The same for all; of two with one slug the first counts."""
    found: dict[str, tuple[str, deployment.Deployable]] = {}
    for system in products.units("system"):
        for item in value(products, deployment.System, "system", system, "system").deployables:
            found.setdefault(snake(words(item.name)), (system, item))
    return found


def _facts() -> tuple[Facts, ...]:
    return tuple(backend(name).facts for name in backend_names())


def _read_file(products: Products, file: str) -> Inputs:
    tables = products.part("tables", products.units("system")[0])
    return file, products.source(file) or b"", Hint(tables)


def _read_imports(products: Products, file: str) -> Inputs:
    wanted = {item.path for item in _index(products, file).imports}
    existing = tuple(sorted(path for path in wanted if may_be_read(path) and products.source(path) is not None))
    offered = products.names() if len(existing) < len(wanted) else ()
    return products.part("parse", file, "entries"), existing, offered


def _read_chunk(products: Products, unit: str) -> Inputs:
    file, entry = _place(products, unit)
    return products.part("parse", file, "contexts"), entry.chunk


def _read_context(products: Products, unit: str) -> Inputs:
    return (products.part("split", unit),)


def _read_names(products: Products, unit: str) -> Inputs:
    system = unit.partition("/")[0]
    return products.part("split", unit), products.part("shown", system), products.part("shared", system, "signature")


def _read_signatures(products: Products, system: str) -> Inputs:
    return (_signatures(products, system),)


def _read_outside(products: Products, system: str) -> Inputs:
    chunks = tuple((file, products.part("parse", file, "outside")) for file in _files(products, system))
    return chunks, _signatures(products, system)


def _read_system(products: Products, system: str) -> Inputs:
    return *_read_outside(products, system), products.part("shared", system, "signature")


def _signatures(products: Products, system: str) -> Inputs:
    return tuple(products.part("signature", unit) for unit in _siblings(products, system))


def _read_lower(products: Products, unit: str) -> Inputs:
    system = unit.partition("/")[0]
    shared = products.part("shared", system, "signature")
    return products.part("split", unit), _place(products, unit)[0], shared, _named_signatures(products, unit)


def _named_signatures(products: Products, unit: str) -> Inputs:
    system = unit.partition("/")[0]
    named = value(products, lowering.Named, "names", unit).contexts
    return tuple(products.part("signature", f"{system}/{name}") for name in named)


def _read_validate(products: Products, unit: str) -> Inputs:
    shared = products.part("shared", unit.partition("/")[0], "signature")
    return products.part("lower", unit, "context"), products.part("lower", unit, "places"), shared


def _read_uses(stage: str) -> Callable[[Products, str], Inputs]:
    return lambda products, unit: (products.part(stage, unit, "uses"),)


def _read_deployment(products: Products, system: str) -> Inputs:
    return products.part("system", system, "system"), products.part("system", system, "places"), _facts()


def _read_wiring(products: Products, system: str) -> Inputs:
    return (
        products.part("system", system, "system"),
        products.part("system", system, "places"),
        _signatures(products, system),
        tuple(products.part("lower", unit, "uses") for unit in _siblings(products, system)),
    )


def _read_shared(products: Products, system: str) -> Inputs:
    return tuple(products.part("shared", system, name) for name in ("shared", "signature", "places"))


def _read_histories(products: Products, system: str) -> Inputs:
    places = products.part("system", system, "places")
    return system, tuple(sorted(_places(products, system))), places, products.given("recorded", system)


def _read_context_facts(products: Products, unit: str) -> Inputs:
    system, _, name = unit.partition("/")
    return products.part("system", system, "system"), name


def _read_planned(products: Products, unit: str) -> Inputs:
    system = unit.partition("/")[0]
    return (
        products.part("lower", unit, "context"),
        products.part("shared", system, "shared"),
        products.part("lower", unit, "places"),
        products.part("facts", unit),
        products.given("history", unit),
    )


def _read_service(products: Products, slug: str) -> Inputs:
    system, deployable = _deployed(products, slug)
    return (
        products.part("system", system, "system"),
        deployable.name,
        backend(deployable.platform).facts,
        _hosted(products, system, deployable),
        products.part("shared", system, "shared"),
    )


def _hosted(products: Products, system: str, deployable: deployment.Deployable) -> Inputs:
    return tuple(products.part("context", f"{system}/{name}", "plan") for name in deployable.contexts)


def _read_checked(products: Products, slug: str) -> Inputs:
    system, deployable = _deployed(products, slug)
    places = tuple(products.part("lower", f"{system}/{name}", "places") for name in deployable.contexts)
    uses = tuple(products.part("lower", f"{system}/{name}", "uses") for name in deployable.contexts)
    declared = tuple(products.part("system", system, name) for name in ("system", "places"))
    hosted = _hosted(products, system, deployable)
    return products.part("plan", slug), hosted, backend(deployable.platform).facts, places, uses, *declared


def _read_scenarios(products: Products, slug: str) -> Inputs:
    system, deployable = _deployed(products, slug)
    return products.part("system", system, "system"), products.part("plan", slug), _hosted(products, system, deployable)


def _read_whole(products: Products, system: str) -> Inputs:
    wires = tuple(products.part("context", unit, "wire") for unit in _siblings(products, system))
    return products.part("system", system, "system"), _facts(), wires


def _read_emit(products: Products, slug: str) -> Inputs:
    system, deployable = _deployed(products, slug)
    hosted = _hosted(products, system, deployable)
    return products.part("plan", slug), hosted, products.given("deps", deployable.platform)


def _read_render(products: Products, system: str) -> Inputs:
    return products.part("whole", system), _facts()


STAGES: tuple[Stage, ...] = (
    Stage("tables", parsing.grammar_tables, "system", lambda products, system: ()),
    Stage("parse", parsing.parse_file, "file", _read_file),
    Stage("imports", parsing.check_imports, "file", _read_imports),
    Stage("split", parsing.split_context, "context", _read_chunk),
    Stage("signature", lowering.sign, "context", _read_context),
    Stage("shown", lowering.show, "system", _read_signatures),
    Stage("names", lowering.name, "context", _read_names),
    Stage("shared", lowering.root, "system", _read_outside),
    Stage("system", lowering.system, "system", _read_system),
    Stage("lower", lowering.context, "context", _read_lower),
    Stage("validate", validating.context, "context", _read_validate),
    Stage("features", features.check, "context", _read_uses("lower")),
    Stage("root features", features.check, "system", _read_uses("shared")),
    Stage("system features", features.check, "system", _read_uses("system")),
    Stage("root", validating.root, "system", _read_shared),
    Stage("deployment", validating.system, "system", _read_deployment),
    Stage("wiring", validating.wiring, "system", _read_wiring),
    Stage("histories", planning.histories, "system", _read_histories),
    Stage("facts", planning.facts_of, "context", _read_context_facts),
    Stage("context", planning.plan_one, "context", _read_planned),
    Stage("plan", planning.service, "deployable", _read_service),
    Stage("service", checking.check, "deployable", _read_checked),
    Stage("scenarios", planning.scenarios, "deployable", _read_scenarios),
    Stage("whole", planning.whole, "system", _read_whole),
    Stage("emit", emitting.emit_service, "deployable", _read_emit),
    Stage("render", rendering.render_system, "system", _read_render),
)
