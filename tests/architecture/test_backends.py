"""Every backend is complete: tables filled, templates in step with their views, nasty names escaped."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from loom.emit import backend, backend_names
from loom.emit.project import static_files
from loom.emit.renderer import ARITHMETIC_KEYS, Renderer
from loom.emit.templates import View, problems
from loom.plan.environment import settings
from loom.plan.limits import LimitsPlan

LANGUAGE_WORDS = {
    "python": ("class", "def", "from", "None", "lambda", "await", "yield"),
    "node": ("class", "new", "await", "yield", "default", "this"),
}


def template_views(name: str) -> dict[str, type[View]]:
    """What the backend says about its templates: `TEMPLATES` in its views, path to view."""
    views = import_module(f"loom.backends.{name}.views")
    table: dict[str, type[View]] = views.TEMPLATES
    return table


def folder(name: str) -> Path:
    return Path(inspect.getfile(import_module(f"loom.backends.{name}"))).parent / "templates"


@pytest.mark.parametrize("name", backend_names())
def test_every_template_has_a_view_and_keeps_to_it(name: str) -> None:
    table = template_views(name)
    assert unpaired(folder(name), table) == []
    assert [problem for path, view in sorted(table.items()) for problem in problems(folder(name), path, view)] == []


def unpaired(root: Path, table: Iterable[str]) -> list[str]:
    """Templates without a view, and views without a template."""
    found = {str(path.relative_to(root)) for path in root.rglob("*.j2")}
    return sorted(found.symmetric_difference(table))


def test_a_template_without_a_view_and_a_view_without_a_template_are_reported(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    for path in ("app/order_line.py.j2", "app/http_server.py.j2"):
        (tmp_path / path).write_text("{{ title }}", encoding="utf-8")
    table = {"app/order_line.py.j2": OneView, "app/class.py.j2": OneView}
    assert unpaired(tmp_path, table) == ["app/class.py.j2", "app/http_server.py.j2"]


def oversized(root: Path) -> list[str]:
    """Templates that do more than print: 120 lines and 12 tags that steer are the most."""
    texts = {str(path.relative_to(root)): path.read_text("utf-8") for path in sorted(root.rglob("*.j2"))}
    counts = {path: (len(text.splitlines()), text.count("{%")) for path, text in texts.items()}
    return [f"{path}: {lines} lines, {tags} tags" for path, (lines, tags) in counts.items() if lines > 120 or tags > 12]


@pytest.mark.parametrize("name", backend_names())
def test_templates_are_small(name: str) -> None:
    assert oversized(folder(name)) == []


def test_a_template_that_steers_too_much_is_reported(tmp_path: Path) -> None:
    (tmp_path / "small.j2").write_text("{% if a %}x{% endif %}\n" * 6, encoding="utf-8")
    (tmp_path / "steers.j2").write_text("{% if a %}x{% endif %}\n" * 7, encoding="utf-8")
    (tmp_path / "long.j2").write_text("x\n" * 121, encoding="utf-8")
    assert oversized(tmp_path) == ["long.j2: 121 lines, 0 tags", "steers.j2: 7 lines, 14 tags"]


class OneView(View):
    title: str
    shown: bool
    rows: tuple[str, ...]


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("{{ titel }}", "prints something that is not a field of the view"),
        ("{{ shown }}", "prints a bool, not a text"),
        ("{{ title | upper }}", "prints something that is not a field of the view"),
        ("{% if shown and title %}x{% endif %}", "an `if` tests one field of the view; make the condition a field"),
        ("{% set x = title %}", "`assign` is not allowed in a template"),
        ("{% for row in title %}{{ row }}{% endfor %}", "the loop is not over a tuple of the view"),
        ("{% for row in rows %}{{ row.name }}{% endfor %}", "prints something that is not a field of the view"),
    ],
)
def test_a_template_that_thinks_is_reported(tmp_path: Path, template: str, complaint: str) -> None:
    (tmp_path / "bad.j2").write_text(template, encoding="utf-8")
    assert list(problems(tmp_path, "bad.j2", OneView)) == [f"bad.j2:1: {complaint}"]


def test_a_language_with_a_hole_in_its_tables_cannot_be_imported() -> None:
    with pytest.raises(TypeError, match="cannot render"):
        type("Holed", (Renderer,), {"ARITHMETIC": {}, "COMPARE": {}, "LOGIC": {}, "CALL": {}, "CONVERT": {}})
    assert ARITHMETIC_KEYS


@pytest.mark.parametrize("name", backend_names())
def test_a_backend_says_what_it_is(name: str) -> None:
    facts = backend(name).facts
    assert facts.name == name
    assert facts.default_port > 0
    assert facts.supports


def untold(texts: Iterable[str]) -> set[str]:
    """Variables that are read but not told of, or told of but not read."""
    words = {word for text in texts for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", text)}
    told = {variable for item in settings(LimitsPlan(), 8080) for variable in item.variables}
    return (told - words) | {word for word in words - told if word.startswith("LOOM_")}


@pytest.mark.parametrize("name", backend_names())
def test_the_page_of_a_service_tells_of_every_setting_that_is_read(name: str) -> None:
    assert untold(static_files(folder(name).with_name("static")).values()) == set()


def test_a_setting_that_is_not_told_of_is_reported() -> None:
    told = " ".join(variable for item in settings(LimitsPlan(), 8080) for variable in item.variables)
    assert untold([told.replace("PORT ", ""), "LOOM_END_CLASS"]) == {"PORT", "LOOM_END_CLASS"}


@pytest.mark.parametrize("name", backend_names())
def test_reserved_words_are_escaped(name: str) -> None:
    spelling: ModuleType = import_module(f"loom.backends.{name}.spelling")
    assert unescaped(spelling.local_name, LANGUAGE_WORDS[name]) == []


def unescaped(spelled: Callable[[str], str], words: Iterable[str]) -> list[str]:
    """Words that are spelled as they are."""
    return [word for word in words if spelled(word) == word]


def test_a_reserved_word_that_is_not_escaped_is_reported() -> None:
    assert unescaped(lambda word: word if word == "yield" else f"{word}_", ("class", "yield", "END")) == ["yield"]
