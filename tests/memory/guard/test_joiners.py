"""Joiners that a sign or a script needs are kept as they were written; those that hide a word are not."""

import pytest

from memory.facts.profile.rules import find_facts_by_rules
from memory.guard.spelling import normalise_text

CAT, SCIENTIST, HEART = "\U0001f408\u200d\u2b1b", "\U0001f469\U0001f3fd\u200d\U0001f52c", "\u2764\ufe0f"
COUPLE = "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


@pytest.mark.parametrize("text", [CAT, SCIENTIST, HEART, COUPLE, PERSIAN])
def test_what_needs_its_joiners_keeps_them(text: str) -> None:
    assert normalise_text(f"I like {text} a lot") == f"I like {text} a lot"


@pytest.mark.parametrize(
    "text", ["pass\u200dword", "pass\u200cword", "pass\ufe0fword", f"\u200dpassword {CAT}", f"pass\u200d{CAT[:0]}word"]
)
def test_what_hides_a_word_goes(text: str) -> None:
    assert normalise_text(text).startswith("password")


def test_a_statement_is_in_the_signs_it_was_said_in() -> None:
    [fact] = find_facts_by_rules(f"I have a black cat named Mimi {CAT}.")
    assert fact.statement == f"I have a black cat named Mimi {CAT}."
