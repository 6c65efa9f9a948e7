"""What a doctor bids the person is kept, in whatever language it is passed on; other people's words are not."""

import pytest

from memory.facts.profile.rules import find_facts_by_rules


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My cardiologist says I have to cut down on salt", "salt"),
        ("mi cardióloga dice que tengo que dejar el café", "café"),
        ("selon mon kiné je ne dois plus porter de charges", "charges"),
        ("Ich soll keinen Alkohol mehr trinken, sagt meine Ärztin", "Alkohol"),
        ("secondo la dietista devo evitare i latticini", "latticini"),
        ("o meu cardiologista disse que tenho de deixar o sal", "sal"),
        ("התזונאית אומרת שאסור לי סוכר", "סוכר"),
        ("Our vet says Bramble must not have any grain", "grain"),
    ],
)
def test_what_a_doctor_bids_is_kept(text: str, told: str) -> None:
    assert any(told in fact.statement for fact in find_facts_by_rules(text))


@pytest.mark.parametrize(
    "text",
    [
        "a doctor on TV said I should avoid carbs lol",
        "il medico dice che sto bene",
        "el médico dice que vuelva el martes, tengo que llamar",
        "המורה אומרת שאסור לרוץ במסדרון",
        "translate this: my doctor says I should avoid salt",
        "does my doctor say I should avoid salt?",
    ],
)
def test_errands_strangers_and_texts_are_not(text: str) -> None:
    assert find_facts_by_rules(text) == []


def test_what_is_put_right_is_kept_though_it_sounds_like_talk() -> None:
    [fact] = find_facts_by_rules("eu quis dizer Tavira, não Olhão", ("moro em Olhão",))
    assert "Tavira" in fact.statement
