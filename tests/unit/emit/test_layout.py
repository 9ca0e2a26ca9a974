"""The document printer breaks a group only when it must, and then all of its lines."""

from __future__ import annotations

from loom.emit.layout import (
    HARD,
    LINE,
    SOFT,
    Choice,
    Doc,
    Either,
    Fill,
    Group,
    Indent,
    IndentIf,
    Measured,
    bracketed,
    join,
    text_of,
)


def call(*arguments: str) -> Doc:
    return ("expose", bracketed("(", arguments, ")", indent=4))


def test_a_group_that_fits_stays_on_one_line() -> None:
    assert text_of(call("right_ascension", "from_"), width=40) == "expose(right_ascension, from_)"


def test_a_group_that_does_not_fit_breaks_every_line_and_ends_in_a_comma() -> None:
    expected = "expose(\n    right_ascension,\n    declination_of_date,\n)"
    assert text_of(call("right_ascension", "declination_of_date"), width=30) == expected


def test_an_inner_group_stays_flat_inside_a_broken_one() -> None:
    inner = ("limit", bracketed("(", ["class_", "order"], ")", indent=4))
    doc = ("expose", bracketed("(", [inner, "a_rather_long_argument"], ")", indent=4))
    assert text_of(doc, width=32) == "expose(\n    limit(class_, order),\n    a_rather_long_argument,\n)"


def test_what_follows_a_group_counts_until_the_next_break() -> None:
    doc = (Group(("short", LINE, "words")), " = something_long")
    assert text_of(doc, width=20) == "short\nwords = something_long"


def test_a_hard_line_breaks_its_groups() -> None:
    assert text_of(Group(("if x:", Indent((HARD, "y"), 4))), width=80) == "if x:\n    y"


def test_the_taken_column_counts() -> None:
    assert "\n" in text_of(call("one_argument", "two"), width=40, column=30)


def test_a_choice_is_made_by_what_fits_beside_the_text_before_it() -> None:
    doc = ("expose(", Either("right_ascension", first="beside", second=(HARD, "below")))
    assert text_of(doc, width=22) == "expose(beside"
    assert text_of(doc, width=21) == "expose(\nbelow"


def measured(*arguments: str) -> Doc:
    def broken(room: int) -> Doc:
        lines = [
            f"{argument}," if len(argument) < room - 4 else f"{argument}, too long for {room},"
            for argument in arguments
        ]
        return ("(", Indent((SOFT, join(HARD, lines)), 4), SOFT, ")")

    return ("expose", Measured(f"({', '.join(arguments)})", broken))


def test_a_measured_group_is_made_only_where_its_text_does_not_fit() -> None:
    assert text_of(measured("right_ascension", "from_"), width=30) == "expose(right_ascension, from_)"
    assert text_of(measured("right_ascension", "from_"), width=29) == "expose(\n    right_ascension,\n    from_,\n)"
    inside = (Group((measured("class_"), LINE, "or", LINE, "order")), " = something_long")
    assert text_of(inside, width=30) == "expose(class_)\nor\norder = something_long"


def test_a_measured_group_knows_the_room_of_its_lines() -> None:
    doc = Indent((HARD, measured("right_ascension")), 2)
    assert text_of(doc, width=20) == "\n  expose(\n      right_ascension, too long for 18,\n  )"


def test_of_several_states_the_first_whose_line_fits_is_taken() -> None:
    states = (
        "expose(from_, class_)",
        Group(("expose({", Indent((LINE, "from_"), 2), LINE, "})"), breaks=True),
        "expose",
    )
    assert text_of(Choice(states), width=30) == "expose(from_, class_)"
    assert text_of(Choice(states), width=10) == "expose({\n  from_\n})"
    assert text_of(Choice(states), width=6) == "expose"


def test_what_follows_a_named_group_is_indented_when_that_has_broken() -> None:
    doc = (Group(Indent(LINE, 2), name=7), IndentIf(("from_", HARD, "class_"), 2, 7))
    assert text_of(("a =", doc), width=20) == "a = from_\nclass_"
    assert text_of(("rightAscension =", doc), width=18) == "rightAscension =\n  from_\n  class_"


def test_short_items_fill_their_lines() -> None:
    doc = Group(("[", Indent((LINE, Fill(("1", "22", "333", "4444"))), 2), LINE, "]"))
    assert text_of(doc, width=12) == "[\n  1, 22,\n  333, 4444\n]"
