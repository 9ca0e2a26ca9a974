"""Long statements come out as `ruff format` leaves them; what fits is not touched."""

from __future__ import annotations

import subprocess
import sys

import pytest

from loom.backends.python.text.formatting import formatted, quoted

HEAD = "async def reserve() -> None:\n    "
LONG = [
    "from app.persistence.harbour.tables import berth_lines_table, berth_moorings_table, berths_table, vessels",
    "def create(cls, *, class_: str, unit_price: Decimal, tidal_window: TidalWindow | None, tags: list[str]) -> Self:"
    "\n    pass",
    '@router.post("/api/harbour_basins/{id}/reserve_berth", operation_id="reserveBerthForVesselOfHarbourBasin")'
    "\ndef reserve():\n    pass",
    'unit_price: Annotated[MoneyOfSomeCurrency, AfterValidator(field_check(lambda price: price > 0, "x"))] = None',
    HEAD + "return self.opening_hours_of_basin == other.opening_hours and decimals.add(self.unit_price, other.price)",
    HEAD + "return (self.opening_hours if self.has_opening_hours else self.default_hours) >= other.opening_hours",
    HEAD + 'raise DomainError("a text that no formatter can break, however long it becomes, for it is one text")',
    HEAD + "berths = sorted(self.berths_of_the_basin, key=lambda berth: berth.length is None or berth.is_free)",
    HEAD + "for berth, mooring in await berth_repository.with_moorings_of_at_least(length_overall_of_it, is_free):"
    "\n        pass",
    HEAD + "return names.first_of_the_names(berth).replace(old_name_of_berth, new_name).upper().strip(other_letters)",
    HEAD + "return not (self.first_condition_of_all or self.second_condition_of_all or self.third_condition_of_it)",
    HEAD + "if self.first_condition_of_all and self.second_condition_of_all or not self.third_condition_of_it:"
    "\n        pass",
    HEAD + "moorings = [Mooring(bollard=item.bollard, load=item.load) for item in bollard_rows if item.load > limit]",
]


def ruff(source: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "100", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("source", LONG)
def test_a_long_statement_is_broken_as_the_formatter_breaks_it(source: str) -> None:
    ours = formatted(source + "\n")
    assert ours != source + "\n"
    assert ruff(ours) == ours


def test_a_long_line_inside_a_text_stays() -> None:
    text = 'REASON = """\n' + "no statement at all, " * 8 + '\n"""\n'
    assert formatted(text) == text


@pytest.mark.parametrize("text", ['say "no"', "it's", '"it\'s"', "tab\t, line\n, slash \\", "naïve 名前 🜁", "'\"'"])
def test_texts_are_quoted_as_the_formatter_quotes_them(text: str) -> None:
    source = f"value = {quoted(text)}\n"
    assert ruff(source) == source
    scope: dict[str, str] = {}
    exec(source, scope)
    assert scope["value"] == text
