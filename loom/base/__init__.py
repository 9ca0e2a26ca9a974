"""Values, names, places, diagnostics: what every other room stands on."""

from loom.base.circles import circles
from loom.base.diagnostics import REGISTRY, Diagnostic, Severity, Whole
from loom.base.facts import LAYOUTS, Facts, Feature, Style
from loom.base.nearest import misspelt, nearest
from loom.base.nodepath import NodePath, Position, Span, node_path, split_path
from loom.base.value import Digest, Value
from loom.base.walk import below, descendants, mapped
from loom.base.words import Words, camel, kebab, numbered, pascal, plural, snake, upper_snake, words

__all__ = [
    "LAYOUTS",
    "REGISTRY",
    "Diagnostic",
    "Digest",
    "Facts",
    "Feature",
    "NodePath",
    "Position",
    "Severity",
    "Span",
    "Style",
    "Value",
    "Whole",
    "Words",
    "below",
    "camel",
    "circles",
    "descendants",
    "kebab",
    "mapped",
    "misspelt",
    "nearest",
    "node_path",
    "numbered",
    "pascal",
    "plural",
    "snake",
    "split_path",
    "upper_snake",
    "words",
]
