"""One context lowered: its declarations in order, its places, its mistakes.

In: the syntax tree of a context, its file, and the signatures of the root and of the contexts that it names.
Out: a LoweredContext. Never: another context's insides; what is not in a signature cannot matter here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loom.base import Diagnostic, Value
from loom.ir import program as ir
from loom.ir.places import Places
from loom.ir.uses import Uses
from loom.lower.bodies.context_tests import context_tests
from loom.lower.declarations.aggregates import Around, aggregate
from loom.lower.declarations.delivery import channels
from loom.lower.declarations.handlers import handlers
from loom.lower.declarations.inheritance import check_hierarchies
from loom.lower.declarations.macros import check_context_macros
from loom.lower.declarations.migrations import migrations
from loom.lower.declarations.policies import policies
from loom.lower.declarations.predicates import check_predicates
from loom.lower.declarations.retrievals import criteria, retrievals
from loom.lower.declarations.seeds import seeds
from loom.lower.declarations.services import services
from loom.lower.declarations.tenancy import OWN_ROWS, Rows
from loom.lower.declarations.values import enum, event, record, value_object
from loom.lower.expansion import expand
from loom.lower.expansion.inheritance import aggregates_of
from loom.lower.expressions import evaluate
from loom.lower.problems.names import LinkingError
from loom.lower.problems.tests import TestNeedsTarget
from loom.lower.problems.workflows import DuplicateWorkflow
from loom.lower.projections.projection import projections
from loom.lower.scope.frames import Body, Frame, Scope
from loom.lower.scope.names import Kind, kind_of, names_of
from loom.lower.scope.principal import principal_of
from loom.lower.scope.shapes import RepositoryShape
from loom.lower.scope.source import Source
from loom.lower.scope.tables import tables_of
from loom.lower.scope.unions import check_unions
from loom.lower.signature import ContextSignature, SharedSignature, capabilities_of
from loom.lower.workflows.workflow import workflow
from loom.parse import ast


class LoweredContext(Value):
    stored = False

    context: ir.Context
    places: Places
    diagnostics: tuple[Diagnostic, ...]
    uses: Uses = Uses()


def lower_context(
    context: ast.Context, file: str, shared: SharedSignature, signatures: Iterable[ContextSignature]
) -> LoweredContext:
    source = Source(file, context.chunk)
    written, context = context, expand(context, capabilities_of(shared))
    names = names_of(context, source, shared, signatures)
    scope = Scope(names, tables_of(context, names, shared, source), source, principal_of(shared, context.name))
    source.declare(context.at)
    check_context_macros(source, written, names)
    check_hierarchies(source, aggregates_of(written))
    made = _Members(Frame(scope=scope, body=Body.PURE, evaluate=evaluate), context, shared).lowered()
    return LoweredContext(
        context=made,
        places=Places(entries=tuple(source.places)),
        diagnostics=_once(source.problems, has_bases=bool(scope.tables.bases)),
        uses=source.used(),
    )


def _once(problems: Iterable[Diagnostic], *, has_bases: bool) -> tuple[Diagnostic, ...]:
    """Each mistake once; one that is inherited is the base's alone, whosever name it says."""
    if not has_bases:
        return tuple(dict.fromkeys(problems))
    found: dict[tuple[str, str], Diagnostic] = {}
    for problem in problems:
        found.setdefault((problem.code, problem.at), problem)
    return tuple(found.values())


class _Members:
    """The declarations of one context by kind, and what stands around each aggregate."""

    def __init__(self, frame: Frame, context: ast.Context, shared: SharedSignature) -> None:
        self.frame = frame
        self.context = context
        self.migrations = shared.migrations
        self.tables = frame.scope.tables
        self.source = frame.scope.source
        self.hoisted = self._hoisted()
        self.repositories = self._repositories()

    def lowered(self) -> ir.Context:
        members = list(self._first())
        rows, tables = policies(self.frame, self.context), self.tables
        self._check(members)
        workflows, handled = tuple(self._workflows()), handlers(self.frame, self.context)
        served = services(self.frame, self.hoisted)
        return ir.Context(
            name=self.context.name,
            enums=tuple(enum(item, self.source) for item in members if isinstance(item, ast.Enum)),
            value_objects=tuple(self._value_objects(members)),
            events=tuple(
                event(self.frame, item, tables.events[item.name]) for item in members if isinstance(item, ast.Event)
            ),
            records=tuple(
                record(self.frame, item, tables.records[item.name]) for item in members if isinstance(item, ast.Payload)
            ),
            aggregates=tuple(
                aggregate(self.frame, shape, self._around(name, rows)) for name, shape in tables.aggregates.items()
            ),
            workflows=workflows,
            handlers=handled,
            services=served,
            criteria=criteria(self.frame, (workflows, handled, served)),
            retrievals=retrievals(self.frame),
            projections=projections(self.frame, self.context),
            channels=channels(self.frame, self.context),
            seeds=seeds(self.frame, self.context),
            migrations=migrations(self.frame, self.migrations),
            tests=context_tests(self.frame, self.context.name, self._tests(self.context.name)),
        )

    def _check(self, members: Iterable[ast.ContextMember]) -> None:
        """What stands for itself nowhere in the program."""
        for item in members:
            if isinstance(item, ast.Unsupported):
                self.source.unsupported(item.at, item.feature)
        check_predicates(self.frame)
        check_unions(self.frame.scope.names, members, self.source)
        for shape in self.tables.bases.values():
            aggregate(self.frame, shape, Around())  # what it says is in those that extend it

    def _value_objects(self, members: Iterable[ast.ContextMember]) -> Iterator[ir.ValueObject]:
        for item in members:
            if isinstance(item, ast.ValueObject):
                shape = self.tables.value_objects[item.name]
                yield value_object(self.frame, item, shape, self._tests(item.name))

    def _around(self, name: str, rows: Mapping[str, Rows]) -> Around:
        return Around(self.repositories.get(name), self._tests(name), rows.get(name, OWN_ROWS))

    def _first(self) -> Iterable[ast.ContextMember]:
        """Members without the repetitions that have been reported."""
        seen: set[str] = set()
        for item in self.context.members:
            if kind_of(item) is not None and not isinstance(item, ast.Unnamed):
                if item.name in seen:
                    continue
                seen.add(item.name)
            yield item

    def _repositories(self) -> Mapping[str, ast.Repository]:
        known: Mapping[str, RepositoryShape] = self.tables.repositories
        found: dict[str, ast.Repository] = {}
        for item in self.context.members:
            if isinstance(item, ast.Repository) and item.name in known:
                found.setdefault(known[item.name].aggregate, item)
        return found

    def _workflows(self) -> Iterable[ir.Workflow]:
        seen: set[str] = set()
        for item in self.context.members:
            if not isinstance(item, ast.Workflow):
                continue
            if item.name in seen:
                self.source.report(DuplicateWorkflow(at=self.source.place(item.at), name=item.name))
                continue
            seen.add(item.name)
            yield workflow(self.frame, item)

    def _tests(self, subject: str) -> tuple[ast.Test, ...]:
        return tuple(self.hoisted.get(subject, ()))

    def _hoisted(self) -> dict[str, list[ast.Test]]:
        """Tests outside their subject, by the subject that they name."""
        found: dict[str, list[ast.Test]] = {}
        for item in self.context.members:
            if isinstance(item, ast.Test) and (subject := self._subject(item)):
                found.setdefault(subject, []).append(item)
        return found

    def _subject(self, item: ast.Test) -> str:
        subject = item.subject
        if subject is None:
            self.source.report(TestNeedsTarget(at=self.source.place(item.at), name=item.name))
            return ""
        names = self.frame.scope.names
        if subject.name in self.tables.aggregates or names.local.get(subject.name) in (Kind.VALUE_OBJECT, Kind.SERVICE):
            return subject.name
        if subject.name == self.context.name:
            return subject.name
        if names.is_unsupported(subject.name):
            return ""
        at = self.source.place(subject.at)
        self.source.report(
            LinkingError(at=at, kind="aggregate, value object or domain service", name=subject.name, nearest="")
        )
        return ""
