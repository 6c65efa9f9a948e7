"""Requests to remember whose words no list holds, and what only looks like one."""

import pytest

from memory.claims import read_claims
from memory.claims.judgement.asking import ASKED_LEAST, QUESTION_LEAST, load_asking_weights, mark_asked, rate_asking
from memory.claims.reader import read_turn
from memory.facts.profile.rules import find_facts_by_rules


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("staple this to your forehead: Nora cannot have sesame", "sesame"),
        ("you'd better have this on you next time: the shop shuts at four on Fridays", "four"),
        ("kannst du bei mir hinterlegen: der Elektriker heißt Herr Mumme", "Mumme"),
        ("pégalo en tu nevera: Lucía no puede tomar kiwi", "kiwi"),
        ("range-le dans un tiroir de ta mémoire : la clé du local est chez Odile", "Odile"),
        ("appiccicatelo in fronte: il piccolo non può mangiare il sesamo", "sesamo"),
        ("põe isso num cantinho da tua memória: a chave da garagem está com o Zé", "Zé"),
        ("תדביק לך על המצח: נועה לא יכולה לאכול שומשום", "שומשום"),
    ],
)
def test_a_request_in_words_of_no_list_is_remembered(text: str, told: str) -> None:
    assert any(told in fact.statement for fact in find_facts_by_rules(text))


@pytest.mark.parametrize(
    "text",
    [
        "how do I store a value in a variable?",
        "kannst du mir erklären, wie man eine Datei speichert?",
        "rappelle-moi la recette des crêpes",
        "me lembra como se calcula a média?",
        "translate: don't forget that my dog is called Rex",
    ],
)
def test_what_asks_for_something_else_is_not(text: str) -> None:
    assert [fact.statement for fact in find_facts_by_rules(text)] == []


def test_a_turn_is_rated_between_nothing_and_certainty() -> None:
    asks = read_turn("one for your files: the meter is behind the stairs").whole.own_sentences
    tells = read_turn("We keep two goats behind the house.").whole.own_sentences
    assert 0 <= rate_asking(tells) < ASKED_LEAST < QUESTION_LEAST <= rate_asking(asks) <= 1
    assert rate_asking(()) == 0.0
    assert load_asking_weights() is load_asking_weights()


def test_what_was_read_by_a_rule_stays_as_it_was_read() -> None:
    claims = read_claims("remember that I'm allergic to walnuts")
    reading = read_turn("remember that I'm allergic to walnuts")
    told = [(one.sentence, one.place) for one in reading.sentences]
    assert mark_asked(claims, reading.whole, told) == claims


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Please remember: the export fails with ERR_7781; restart the worker. Thanks!",
            "The export fails with ERR_7781; restart the worker.",
        ),
        ("Merk dir: das Tor klemmt; links drücken.", "Das Tor klemmt; links drücken."),
        ("Recuerda: la puerta se atasca; empuja a la izquierda.", "La puerta se atasca; empuja a la izquierda."),
    ],
)
def test_what_is_to_be_remembered_goes_on_behind_a_semicolon(text: str, told: str) -> None:
    assert [one.statement for one in read_claims(text)] == [told]
