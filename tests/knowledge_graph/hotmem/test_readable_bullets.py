"""A bullet is a line that can be read: names as they are written, and no verb or day that stands alone."""

import pytest

from knowledge_graph.hotmem.bullets import word_triple

LINES = [
    (("you", "cat", "monsieur pim"), "Unser Kater heißt Monsieur Pim.", "de", "Bei dir – Katze: Monsieur Pim"),
    (
        ("jonas", "girlfriend", "mireille"),
        "Jonas zieht nach Straßburg, zu Mireille.",
        "de",
        "Jonas – Freundin: Mireille",
    ),
    (("parents", "lives_in", "york"), "My parents live in York.", "en", "You said: “My parents live in York.”"),
    (("scan", "time", "ninth"), "My scan's on the ninth.", "en", "You said: “My scan's on the ninth.”"),
    (("you", "works_at", "bakery"), "I work at the bakery.", "en", "You said: “I work at the bakery.”"),
    (("you", "works_at", "lidl"), "I work at Lidl.", "en", "You work at Lidl"),
    (("you", "has", "saugroboter"), "Wir haben einen Saugroboter.", "de", "Du hast Saugroboter"),
    (("daughter anna", "has_condition", "coeliac"), "She is coeliac.", "en", "Daughter Anna: health coeliac"),
]


@pytest.mark.parametrize(("triple", "statement", "lang", "line"), LINES)
def test_a_triple_is_said_as_a_line(triple: tuple[str, str, str], statement: str, lang: str, line: str) -> None:
    assert word_triple(*triple, statement, lang) == line


def test_what_was_told_in_another_language_is_quoted() -> None:
    said = "On a un vieux van VW."
    assert word_triple("you", "has", "vieux van vw", said, "de", told_in="fr") == f"Du hast gesagt: „{said}“"


def test_a_long_sentence_is_no_bullet() -> None:
    said = "My scan's on the ninth, " + "and so on " * 20
    assert word_triple("scan", "time", "ninth", said, "en") == "Scan: ninth"
