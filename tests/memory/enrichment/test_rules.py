"""Labels by rules: by the meaning of a message in any language, and not by words it only rules out."""

import pytest

from memory.enrichment.entities import find_mentions
from memory.enrichment.rules import label_message, suggest_topic
from memory.vocabulary.presets import list_presets, load_preset
from memory.vocabulary.terms import TermKind

SUPPORT, PERSONAL = load_preset("support"), load_preset("personal")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("When do I get my refund?", "refund"),
        ("Wann bekomme ich mein Geld zurück?", "refund"),
        ("¿Cuándo me hacéis el reembolso?", "refund"),
        ("je voudrais être remboursé", "refund"),
        ("quando arriva il rimborso?", "refund"),
        ("quando sai o reembolso?", "refund"),
        ("מתי יגיע ההחזר הכספי שלי", "refund"),
        ("I forgot my password", "account_access"),
        ("how much is the small one?", "pricing"),
    ],
)
def test_a_topic_is_told_in_every_language(text: str, topic: str) -> None:
    assert topic in label_message(text, SUPPORT).topics


@pytest.mark.parametrize(
    "text",
    [
        "I don't want a refund, I want to know why the lid cracked",
        "Ich will keine Rückerstattung, nur wissen, warum der Deckel gerissen ist",
        "no quiero un reembolso, quiero saber por qué se ha roto",
        "je ne veux pas de remboursement, je veux comprendre pourquoi c'est cassé",
        "non voglio un rimborso, voglio sapere perché si è rotto",
        "לא רוצה החזר, רוצה להבין למה זה נשבר",
    ],
)
def test_what_a_message_only_rules_out_is_not_its_topic(text: str) -> None:
    labels = label_message(text, SUPPORT)
    assert "refund" not in labels.topics
    assert "product_issue" in labels.topics


@pytest.mark.parametrize(
    ("text", "category", "message_type"),
    [
        ("Please cancel my subscription", "support_request", "request"),
        ("Do you ship to Malta?", "inquiry", "question"),
        ("This is the third time, give me your manager please", "escalation", "request"),
        ("any news about my replacement?", "support_request", "follow_up"),
    ],
)
def test_category_and_kind_of_a_message_for_a_help_desk(text: str, category: str, message_type: str) -> None:
    labels = label_message(text, SUPPORT)
    assert (labels.category, labels.message_type) == (category, message_type)


@pytest.mark.parametrize(
    ("text", "topic", "importance"),
    [
        ("I can't take penicillin, I'm allergic", "health", "high"),
        ("My sister gave birth yesterday", "family", "high"),
        ("how do I clean a carpet?", "home", "low"),
        ("urgent: pay the rent before friday", "money", "high"),
    ],
)
def test_importance_of_what_a_person_tells(text: str, topic: str, importance: str) -> None:
    labels = label_message(text, PERSONAL)
    assert topic in labels.topics
    assert labels.importance == importance


def test_what_a_message_mentions_is_found_by_its_shape_and_once() -> None:
    text = "Order 88-41207, 43.90 GBP, mail kim@shop.example or 06 39 98 12 40, on Monday. Order #88-41207!"
    found = {(one.type, one.value) for one in find_mentions(text, PERSONAL.list_names(TermKind.ENTITY_TYPE))}
    assert found >= {
        ("order_id", "88-41207"),
        ("amount", "43.90 GBP"),
        ("email", "kim@shop.example"),
        ("phone", "06 39 98 12 40"),
        ("date", "Monday"),
    }
    assert sum(kind == "order_id" for kind, _ in found) == 1


def test_a_message_that_fits_nothing_suggests_a_meaning_and_never_a_name() -> None:
    labels = label_message("the umbrella of Zlotnikov", SUPPORT)
    assert labels.topics == ("general_inquiry",)
    assert labels.confidence == "low"
    assert labels.suggested_topic == "umbrella"
    assert suggest_topic("Zlotnikov Brzęczyszczykiewicz") == ""


@pytest.mark.parametrize("name", list_presets())
def test_a_preset_names_what_there_is(name: str) -> None:
    """A meaning, a cue or an intent that is written wrongly would never be evidence."""
    from typing import get_args

    from memory.claims.frames.triples import Intent
    from memory.claims.topics import list_topics
    from memory.language.concepts import list_terms
    from memory.language.loader import read_sections

    cues = set(read_sections("en", "labels"))
    for term in load_preset(name).terms:
        assert all(list_terms(meaning) for meaning in term.meanings), (term.name, term.meanings)
        assert set(term.life) <= list_topics(), term.name
        assert set(term.cues) <= cues, term.name
        assert set(term.intents) <= set(get_args(Intent)), term.name
