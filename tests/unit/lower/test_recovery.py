"""A mistake in the text is told once: what else the model says is not doubted for it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from loom.base import Diagnostic
from loom.parse import parse
from loom.parse.damage import believed
from loom.parse.lexer import tokenize
from loom.parse.tables import compiled
from tests.kit.lowering import lower_files

MODELS = Path(__file__).parents[3] / "examples" / "observatory"
TEXTS = {path.name: path.read_text() for path in sorted(MODELS.glob("*.ddd"))}
SEEDS = range(12)


def told(texts: dict[str, str]) -> tuple[Diagnostic, ...]:
    """What later stages say, beside the parser."""
    results = {name: parse(name, text.encode()) for name, text in texts.items()}
    damages = {name: result.damage for name, result in results.items() if result.damage is not None}
    model = lower_files({name: result.ast for name, result in results.items()})
    return believed([*model.diagnostics(), *model.validated()], damages)


def doubled(name: str, seed: int) -> str:
    """The text with one of its tokens written twice."""
    text = TEXTS[name]
    tokens = tokenize(name, text, compiled().words)
    at = random.Random(seed).randrange(len(tokens.kinds) - 1)
    start, end = tokens.starts[at : at + 2]
    return f"{text[:end]} {text[start:end].strip()} {text[end:]}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_token_too_many_is_told_alone(name: str, seed: int) -> None:
    text = doubled(name, seed)
    errors = len(parse(name, text.encode()).diagnostics)
    codes = [item.code for item in told({**TEXTS, name: text})]
    assert not errors or set(codes) <= {item.code for item in told(TEXTS)}, codes
