"""Declared names as Python spells them: casing, and a trailing underscore where a name is taken.

In: names of the model. Out: identifiers and module names. The wire and the database never see them.
"""

from __future__ import annotations

import keyword
from functools import lru_cache

from loom.base import pascal, plural, snake, upper_snake, words

SHARED = "shared_kernel"

# A service spells each of its names many times.
_known = lru_cache(1 << 14)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEYWORDS = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)
# Builtins and modules that emitted bodies use: a local of that name would hide them.
_USED = _names("""
    abs all annotations any bool classmethod cls dataclass datetime decimals dict dispatch field frozenset functions
    instants int integers isinstance iter len list log max min new_id next now object print property range re replace
    self sequences set sorted str sum super texts timedelta tuple type work
""")
# What finds and their routes call their own things.
_QUERIED = _names("""
    body check_version children_of collate count_operation counted database delete_root
    descending elements_of entity_tag exists expected field_check found func ids_of insert_rows json_response limit
    literal member_of offset order ordered ordering page result router row rows select session sort total update_rows
    wanted wanted_id
""")
# What stands beside an aggregate in its repository and its routes.
_BESIDE = _names("""
    body check_version children_of count_operation database delete_root elements_of entity_tag expected found ids_of
    insert_rows is_deleted json_response ordering page refusal result router rows select total update_rows wanted_id
""")
# What annotations and class bodies use.
_ANNOTATED = _names("""
    bool classmethod datetime field field_check int list member_of object property str timedelta tuple
""")
_MEMBERS = frozenset({"check_invariants", "cls", "create", "destroy", "events", "self"})
# Attributes of pydantic's BaseModel: a field of that name would hide them.
_MODEL = _names("""
    construct copy dict from_orm json json_schema parse_file parse_obj parse_raw schema schema_json
    update_forward_refs validate value
""")
_CLASSES = _names("""
    APIRouter ARRAY AfterValidator AggregateNotFoundError Annotated Any BaseException BigInteger Boolean Column
    ConflictError DatabaseDependency DateTime Decimal DecimalNumber DisallowedError DomainError DomainEvent EmptyRequest
    Exception ExpectedVersion False Field Flag ForbiddenError Guid Instant Int32 Int64 Integer JSONB Json JsonRoute
    JsonValue Mapping MetaData Money NewType None NotFoundError Numeric PageParameters Path PlainValidator Query
    QueryDecimal QueryFlag QueryInt32 QueryInt64 RequestModel Response Row RowMapping RowSet SORTS Select Self
    Sequence ServiceError StaleVersionError StrEnum Table Text True Type UnitOfWork Uuid UuidString ValueError
""")


# The linter takes a file `typing` for the standard library's.
_FILES = frozenset({SHARED, "typing"})
# Modules beside the folders of contexts.
_STORED = frozenset({SHARED, "database", "faults", "migrations", "rows"})
# Spelled with one underscore, they are SQLAlchemy's own, and the linter takes the last for unittest's.
_OPERATORS = frozenset({"and", "or", "not", "assert"})


def _escaped(name: str, taken: frozenset[str]) -> str:
    if name in _OPERATORS:
        return f"{name}__"
    return f"{name}_" if name in _KEYWORDS or name in taken else name


@_known
def local_name(name: str) -> str:
    """A parameter, a `let`, a loop or lambda variable."""
    return _escaped(snake(words(name)), _USED)


def instance_name(name: str) -> str:
    """A variable that holds an aggregate, beside what its repository and its routes need."""
    spelled = _escaped(snake(words(name)), _USED | _BESIDE)
    return f"{spelled}_" if spelled == type_name(name) else spelled


@_known
def query_name(name: str) -> str:
    """A parameter of a find, in its repository and its route."""
    return _escaped(snake(words(name)), _USED | _QUERIED)


@_known
def member_name(name: str) -> str:
    """A field, a derived value, a function or an operation of a class of the domain."""
    return _escaped(snake(words(name)), _ANNOTATED | _MEMBERS)


@_known
def request_name(name: str) -> str:
    """A member of a request model."""
    spelled = _escaped(snake(words(name)).lstrip("_") or "underscore", _ANNOTATED | _MODEL)
    return spelled.removeprefix("model_") + "_" if spelled.startswith("model_") else spelled


@_known
def type_name(name: str) -> str:
    return _escaped(pascal(words(name)), _CLASSES)


def constant_name(name: str) -> str:
    """A member of an enum."""
    return upper_snake(words(name)) if not name[0].isdigit() else f"_{upper_snake(words(name))}"


@_known
def folder_name(context: str) -> str:
    """The folder of a context; empty stands for what the model's root declares."""
    return _escaped(snake(words(context)), _STORED) if context else SHARED


@_known
def module_name(name: str) -> str:
    """A file; empty stands for what the model's root declares."""
    return _escaped(snake(words(name)), _FILES) if name else SHARED


def function_name(name: str) -> str:
    """A function of a module."""
    return _escaped(snake(words(name)), _USED)


def collection_name(name: str) -> str:
    """Many of one aggregate."""
    return _escaped(snake(plural(words(name))), _USED)


def distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names with a number where an earlier one is spelled alike."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return tuple(result)
