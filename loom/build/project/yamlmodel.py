"""Reads a YAML text into a pydantic model, and says file, line, key and allowed keys of each mistake.

In: text, its name, a model derived from `Strict`. Out: an instance of the model.
Never: a default that hides a misspelt key, or a traceback of the YAML library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from loom.base.nearest import nearest
from loom.build.project.problem import ProjectProblem

Path = tuple[str | int, ...]


class Strict(BaseModel):
    """A record of a project file; a key that it does not have is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


M = TypeVar("M", bound=BaseModel)
Lines = Mapping[Path, int]


def read_model(text: str, name: str, model: type[M]) -> M:
    """`text` as a `model`; ProjectProblem lists every mistake when it is not one."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines = dict(_lines(node, ()))
        data = loader.construct_document(node) if node is not None else {}
    except yaml.MarkedYAMLError as error:
        raise ProjectProblem([_yaml_mistake(error, name)]) from None
    except yaml.YAMLError as error:
        raise ProjectProblem([f"{name}: not YAML: {str(error).splitlines()[0]}"]) from None
    finally:
        loader.dispose()
    return check_model(data, name, model, lines)


def check_model(data: object, name: str, model: type[M], lines: Lines | None = None) -> M:
    """`data` as a `model`; `lines` says where each key was written, if it was written in a file."""
    try:
        return model.model_validate(_tuples(data))
    except ValidationError as error:
        found = [_mistake(detail, name, model, lines) for detail in error.errors()]
        raise ProjectProblem(found) from None


def _tuples(data: object) -> object:
    """Lists as tuples, which is what strict records hold."""
    if isinstance(data, dict):
        return {key: _tuples(value) for key, value in data.items()}
    return tuple(map(_tuples, data)) if isinstance(data, list) else data


def _yaml_mistake(error: yaml.MarkedYAMLError, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    return f"{name}:{mark.line + 1 if mark else 1}: not YAML: {error.problem or error.context}"


def _lines(node: yaml.Node | None, path: Path) -> Iterator[tuple[Path, int]]:
    """The line of every key and item below `node`; a key said twice is a mistake YAML itself lets pass."""
    if node is None:
        return
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        yield from _mapping_lines(node, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _lines(item, (*path, index))


def _mapping_lines(node: yaml.MappingNode, path: Path) -> Iterator[tuple[Path, int]]:
    seen: set[str] = set()
    for key, value in node.value:
        if key.value in seen:
            raise yaml.MarkedYAMLError(problem=f"`{key.value}` is said twice", problem_mark=key.start_mark)
        seen.add(key.value)
        yield from _lines(value, (*path, key.value))
        yield (*path, key.value), key.start_mark.line + 1


def _mistake(detail: ErrorDetails, name: str, model: type[BaseModel], lines: Lines | None) -> str:
    path: Path = detail["loc"]
    head = _place(name, path, lines)
    if detail["type"] != "extra_forbidden":
        return f"{head}: `{_dotted(path) or name}`: {_wording(detail)}"
    key, allowed = str(path[-1]), sorted(_keys_at(model, path[:-1]))
    meant = nearest(key, allowed)
    guess = f", did you mean `{meant}`?" if meant else ""
    around = f" in `{_dotted(path[:-1])}`" if path[:-1] else ""
    return f"{head}: unknown key `{key}`{around} (allowed: {', '.join(allowed)}){guess}"


def _keys_at(kind: object, path: Path) -> set[str]:
    """The keys that a record at `path` below `kind` may have."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
        return _keys_at(fields.get(str(path[0])), path[1:]) if path else set(fields)
    if not path:
        return set().union(*(_keys_at(part, path) for part in get_args(kind)))
    below = path[1:] if get_origin(kind) in (dict, tuple) else path
    return set().union(*(_keys_at(part, below) for part in get_args(kind)))


def _wording(detail: ErrorDetails) -> str:
    if detail["type"] == "missing":
        return "is required"
    message = detail["msg"].removeprefix("Value error, ")
    return message[0].lower() + message[1:]


def _place(name: str, path: Path, lines: Lines | None) -> str:
    """File and line of `path`, or of the nearest thing around it that was written."""
    if lines is None:
        return name
    while path and path not in lines:
        path = path[:-1]
    return f"{name}:{lines.get(path, 1)}"


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))
