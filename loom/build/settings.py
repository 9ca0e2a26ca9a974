"""YAML files read into checked models, with errors that name file, line, key and the allowed keys.

In: a file and a pydantic model. Out: the model's value, or a SettingsError that a person can act on.
Never: a default for a key that is misspelt.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from loom.base import nearest
from loom.build.project.problem import ProjectProblem


class SettingsError(ProjectProblem):
    """A settings file is wrong; the text is one line a mistake, each starting `file:line:`."""


class Settings(BaseModel):
    """A frozen part of a settings file; unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


M = TypeVar("M", bound=Settings)
Location = Sequence[str | int]


def read_settings(path: Path, model: type[M]) -> M:
    """The checked content of one file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not UTF-8 at byte {error.start}") from error
    return parse_settings(text, str(path), model)


def parse_settings(text: str, file: str, model: type[M]) -> M:
    """The checked content of `text`, which came from `file`."""
    try:
        data = yaml.load(text, Loader=_Strict)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{file}:{line}: {error.problem or 'is not YAML'}") from error
    except yaml.YAMLError as error:
        raise SettingsError(f"{file}:1: is not YAML: {error}") from error
    try:
        return model.model_validate(data if data is not None else {})
    except ValidationError as error:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        raise SettingsError("\n".join(_lines(error, file, node, model))) from error


class _Strict(yaml.SafeLoader):
    """Refuses a key that is given twice, which YAML would let the last one win."""


def _mapping(loader: _Strict, node: yaml.MappingNode) -> dict[object, object]:
    pairs: dict[object, object] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in pairs:
            raise yaml.constructor.ConstructorError(None, None, f"key `{key}` is given twice", key_node.start_mark)
        pairs[key] = loader.construct_object(value_node, deep=True)
    return pairs


_Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _lines(error: ValidationError, file: str, node: yaml.Node | None, model: type[Settings]) -> list[str]:
    found = []
    places = [problem["loc"] for problem in error.errors()]
    for problem in error.errors():
        location = problem["loc"]
        # A list is called too short when its items are wrong; the items' own mistakes say it better.
        # kept by tests/engine/world/test_settings_files.py::test_all_mistakes_are_named_at_once
        if problem["type"] == "too_short" and any(place[:-1][: len(location)] == location for place in places):
            continue
        where = ".".join(str(part) for part in location) or "the file"
        text = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "extra_forbidden":
            text = _unknown_key(str(location[-1]), _allowed(model, location[:-1]))
        found.append(f"{file}:{_line(node, location)}: `{where}`: {text}")
    return sorted(set(found))


def _unknown_key(key: str, allowed: Sequence[str]) -> str:
    meant = nearest(key, allowed)
    hint = f", did you mean `{meant}`?" if meant else ""
    return f"unknown key{hint} (allowed: {', '.join(allowed)})"


def _line(node: yaml.Node | None, location: Location) -> int:
    """Line of the deepest node on the way to `location` that the file has."""
    line = node.start_mark.line + 1 if node is not None else 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if pair is None:
                continue
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


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
