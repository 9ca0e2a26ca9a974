"""Names of models that nobody wrote, and of models cut and mixed: an answer, whatever the text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol.types import Position, PositionEncodingKind

from loom.lsp.answers import GIVEN
from loom.lsp.checking import lone_file
from loom.lsp.completing import suggestions
from loom.lsp.session import Session
from loom.lsp.texts import Text
from tests.engine.lsp.models import MAIN, ROOMS
from tests.kit.corpus import cases
from tests.kit.grammar_models import sentence

NOWHERE = Path("/nonexistent/model.ddd")
SOURCES = [text for case in cases() for text in case.sources.values()]


def session(text: str) -> Session:
    made = Session(lone_file(NOWHERE))
    made.update({"model.ddd": text.encode()})
    return made


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 32), depth=st.integers(12, 40))
def test_generated_models_have_names_in_their_texts(seed: int, depth: int) -> None:
    text = " ".join(sentence(random.Random(seed), depth)[:2000])
    holds(session(text))


@pytest.mark.parametrize("text", SOURCES)
def test_models_of_the_corpus_have_names_in_their_texts(text: str) -> None:
    holds(session(text))


def holds(made: Session) -> None:
    """Every name that is found is where it is said to be, and is among its own mentions."""
    text = made.files["model.ddd"].text
    for offset in range(0, len(text), 7):
        found = made.at("model.ddd", offset)
        if found is not None:
            place = made.place(found)
            assert text[place.start : place.end] == found.declared.name
            mentions = list(made.mentions(found.declared))
            assert place in mentions and len(mentions) == len(set(mentions))
            if found.declared.kind not in GIVEN:  # which stand where something else is named
                assert made.place(found.declared) in mentions


@settings(max_examples=80, deadline=None)
@given(first=st.sampled_from([MAIN, ROOMS, *SOURCES[::5]]), cut=st.floats(0, 1), rest=st.floats(0, 1))
def test_suggestions_for_any_text_and_place(first: str, cut: float, rest: float) -> None:
    offset = int(cut * len(first))
    text = first[:offset] + first[int(rest * len(first)) :]
    found = suggestions(session(text), "model.ddd", offset)
    assert len({item.label for item in found}) == len(found)


@pytest.mark.parametrize("encoding", list(PositionEncodingKind))
def test_positions_and_offsets_are_inverse(encoding: PositionEncodingKind) -> None:
    text = Text('label: "\U0001f331é\U0001f331"\r\nHTTPLink: string\n\n', encoding)
    for offset in range(len(text.text) + 1):
        assert text.offset(text.position(offset)) == offset
    assert text.offset(Position(99, 0)) == text.offset(Position(3, 99)) == len(text.text)


def test_position_inside_a_pair_is_that_of_its_character() -> None:
    text = Text("\U0001f331a", PositionEncodingKind.Utf16)
    assert [text.offset(Position(0, units)) for units in range(4)] == [0, 0, 1, 2]
