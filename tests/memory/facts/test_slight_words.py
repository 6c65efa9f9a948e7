"""What is told for its own sake is known, however slight its words sound to the guard."""

import pytest

from memory.facts.profile.rules import find_facts_by_rules


@pytest.mark.parametrize(
    "text", ["I've just moved to York for work.", "Me acabo de mudar a Bilbao.", "Ich bin gerade nach Bonn gezogen."]
)
def test_a_new_home_is_kept_in_the_persons_words(text: str) -> None:
    found = find_facts_by_rules(text)
    assert [one.statement for one in found] == [text]
    assert [claim.relation for one in found for claim in one.claims] == ["lives_in"]


def test_a_joke_is_still_none() -> None:
    assert not find_facts_by_rules("haha I live in my inbox")
