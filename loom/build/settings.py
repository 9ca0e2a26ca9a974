"""YAML files read into checked models, with errors that show the line, what is allowed and what was meant.

In: a file and a pydantic model. Out: the model's value, or a SettingsError that a person can act on.
Never: a default for a key that is misspelt.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from loom.base import Diagnostic, NodePath, nearest, split_path
from loom.build.project.mistakes import (
    MissingSetting,
    RepeatedSetting,
    UnknownSetting,
    UnreadableSettings,
    WrongSetting,
)
from loom.build.project.problem import SettingsError
from loom.build.wordings import worded
from loom.parse.problems import offset_path
from loom.parse.report import Source, report
from loom.parse.result import Origins


class Settings(BaseModel):
    """A frozen part of a settings file; unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


M = TypeVar("M", bound=Settings)
Location = Sequence[str | int]
_PASSWORD = re.compile(r"//[^/@\s]*@")
_KEY = "[key]"
"""What pydantic has at the end of the way to the key of a mapping."""


def read_settings(path: Path, model: type[M]) -> M:
    """The checked content of one file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    return parse_settings(decoded(data, str(path)), str(path), model)


def decoded(data: bytes, file: str) -> str:
    """The text of a settings file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = offset_path(file, len(data[: error.start].decode("utf-8-sig")))
        mistake = UnreadableSettings(at=at, case="utf-8", reason="")
        raise mistaken(data.decode("utf-8-sig", "replace"), file, [mistake]) from None


def parse_settings(text: str, file: str, model: type[M]) -> M:
    """The checked content of `text`, which came from `file`."""
    try:
        data = yaml.load(text, Loader=_Strict)
    except yaml.MarkedYAMLError as error:
        raise mistaken(text, file, [_unread(file, error)]) from error
    except yaml.YAMLError as error:
        mistake = UnreadableSettings(at=offset_path(file, 0), case="yaml", reason=_line(str(error)))
        raise mistaken(text, file, [mistake]) from error
    try:
        return model.model_validate(data if data is not None else {})
    except ValidationError as error:
        found = _found(error.errors(), file, yaml.compose(text, Loader=yaml.SafeLoader), model)
        raise mistaken(text, file, found) from error


def mistaken(text: str, file: str, found: Iterable[Diagnostic]) -> SettingsError:
    """All mistakes of one file, and of what variables and options say instead."""
    found = tuple(found)
    whose = file if any(split_path(item.at)[0] == file for item in found) else "the settings"
    told = report(found, {file: Source(_PASSWORD.sub(_hidden, text), Origins({}))}).rstrip()
    return SettingsError(f"{whose} cannot be used\n{told}")


def wrong_settings(text: str, file: str, found: Iterable[tuple[Location, str, str]]) -> SettingsError:
    """What is wrong with sound settings, seen from outside: where, what and a hint; a variable is its own place."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    told = []
    for location, what, hint in found:
        if isinstance(location, str):
            where, at = location, offset_path(location, 0)
        else:
            where, at = ".".join(map(str, location)), offset_path(file, _offset(node, location))
        told.append(WrongSetting(at=at, case="key", where=where, what=what, hint=hint))
    return mistaken(text, file, told)


def _hidden(password: re.Match[str]) -> str:
    return f"//{'*' * (len(password[0]) - 3)}@"


class _Strict(yaml.SafeLoader):
    """Refuses a key that is given twice, which YAML would let the last one win."""


class _Repeated(yaml.constructor.ConstructorError):
    """One key twice."""


def _mapping(loader: _Strict, node: yaml.MappingNode) -> dict[object, object]:
    pairs: dict[object, object] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(None, None, _no_key(key_node), key_node.start_mark)
        if key in pairs:
            raise _Repeated(None, None, str(key), key_node.start_mark)
        pairs[key] = loader.construct_object(value_node, deep=True)
    return pairs


def _no_key(node: yaml.Node) -> str:
    """YAML takes `on`, `yes` and numbers for other things than texts."""
    return (
        f'as a key, write "{node.value}" with quotes' if isinstance(node, yaml.ScalarNode) else "a key must be a text"
    )


_Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _unread(file: str, error: yaml.MarkedYAMLError) -> Diagnostic:
    at = offset_path(file, error.problem_mark.index if error.problem_mark else 0)
    if isinstance(error, _Repeated):
        return RepeatedSetting(at=at, key=str(error.problem))
    return UnreadableSettings(at=at, case="yaml", reason=_line(error.problem or "it cannot be read"))


def _line(text: str) -> str:
    return " ".join(text.split())


def _found(
    problems: Sequence[ErrorDetails], file: str, node: yaml.Node | None, model: type[Settings]
) -> Iterator[Diagnostic]:
    places = [problem["loc"] for problem in problems]
    meant = {(*place[:-1], nearest(str(place[-1]), _allowed(model, place[:-1]))) for place in _unknown(problems)}
    for problem in problems:
        location = problem["loc"]
        # A list is called too short when its items are wrong; the items' own mistakes say it better.
        # kept by tests/engine/world/test_settings_files.py::test_all_mistakes_are_named_at_once
        if problem["type"] == "too_short" and any(place[:-1][: len(location)] == location for place in places):
            continue
        if problem["type"] == "missing" and location in meant:
            continue  # it is there, misspelt
        shown = (*location, _KEY) if problem["type"] == "extra_forbidden" else location
        yield _mistake(problem, location, offset_path(file, _offset(node, shown)), model)


def _unknown(problems: Sequence[ErrorDetails]) -> list[tuple[int | str, ...]]:
    return [problem["loc"] for problem in problems if problem["type"] == "extra_forbidden"]


def _mistake(problem: ErrorDetails, location: Location, at: NodePath, model: type[Settings]) -> Diagnostic:
    where = ".".join(str(part) for part in location if part != _KEY)
    match problem["type"]:
        case "missing":
            return MissingSetting(at=at, key=where)
        case "extra_forbidden":
            key, allowed = str(location[-1]), _allowed(model, location[:-1])
            near = nearest(key, allowed)
            return UnknownSetting(
                at=at, case="near" if near else "none", key=key, nearest=near, allowed=", ".join(allowed)
            )
        case _:
            what, hint = worded(problem)
            return WrongSetting(at=at, case="key" if where else "file", where=where, what=what, hint=hint)


def _offset(node: yaml.Node | None, location: Location) -> int:
    """Where the deepest node on the way to `location` that the file has begins; of what is unknown, its key."""
    place = node.start_mark.index if node is not None else 0
    for number, part in enumerate(location):
        last = number == len(location) - 1 or location[number + 1] == _KEY
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if pair is None:
                continue
            place, node = pair[0].start_mark.index, pair[1]
            if last and location[-1] != _KEY and isinstance(node, yaml.ScalarNode) and node.value:
                place = node.start_mark.index
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            place = node.start_mark.index
    return place


def _allowed(model: type[Settings], location: Location) -> list[str]:
    """The keys of the model that `location` leads to."""
    inside = functools.reduce(_step_into, location, [model])
    return sorted({name for kind in inside for name in _keys(kind)})


def _step_into(models: list[type[Settings]], part: str | int) -> list[type[Settings]]:
    fields: list[type[Settings]] = []
    for model in models:
        by_key: Mapping[str, object] = dict(
            zip(_keys(model), (f.annotation for f in model.model_fields.values()), strict=True)
        )
        fields += _models_in(by_key[str(part)]) if str(part) in by_key else []
    return fields or models


def _keys(model: type[Settings]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _models_in(annotation: object) -> list[type[Settings]]:
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models_in(part)]
