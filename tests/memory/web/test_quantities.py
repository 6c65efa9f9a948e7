"""Figures as the language of the page writes them."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from memory.web.quantities import localize_figure, say_number

CONSOLE = Path(__file__).parents[3] / "memory" / "console"


@pytest.mark.parametrize(("language", "said"), [("en", "1,204"), ("de", "1\u202f204"), ("it", "1\u202f204")])
def test_thousands_are_parted_as_the_language_does(language: str, said: str) -> None:
    with translation.override(language):
        assert say_number(1204) == localize_figure("1,204") == said


def test_what_is_no_number_stays() -> None:
    for figure in ("seven", "1.5", "9" * 5000, ""):
        assert localize_figure(figure) == figure


def test_no_page_parts_thousands_as_english_does() -> None:
    found = {file.name for file in CONSOLE.rglob("*.py") if re.search(r"\{\w+:,\}", file.read_text())}
    assert found == set()
