"""What is only asked, not known, dreamed or put as a case: it tells nothing, and denies nothing either."""

import pytest

from memory.claims import read_claims


def list_told(text: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.relation, one.object) for one in read_claims(text) if one.relation != "about"]


@pytest.mark.parametrize(
    "text",
    [
        "People keep asking whether I live in Hull.",
        "She asked me if I have two kids.",
        "I don't know if I'm allergic to nuts.",
        "Alle fragen, ob ich bei Aldi arbeite.",
        "Ich weiß nicht, ob ich allergisch gegen Nüsse bin.",
        "Me preguntó si soy alérgica a las nueces.",
        "No sé si soy alérgica a las nueces.",
        "Elle m'a demandé si j'habite à Lyon.",
        "Je ne sais pas si je suis allergique aux noix.",
        "Mi ha chiesto se vivo a Bari.",
        "Non so se sono allergica alle noci.",
        "Ela perguntou-me se moro em Faro.",
        "Não sei se sou alérgica a nozes.",
        "כולם שואלים אם אני אלרגית לאגוזים.",
        "אני לא יודעת אם אני אלרגית לאגוזים.",
    ],
)
def test_what_is_asked_or_not_known_is_neither_so_nor_denied(text: str) -> None:
    assert list_told(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I live in Hull and I don't know if I'm allergic to nuts.", ("you", "lives_in", "hull")),
        ("She asked me if I live in Hull, but I live in York.", ("you", "lives_in", "york")),
        (
            "Meine Mutter fragt, ob ich noch bei Aldi arbeite, aber ich arbeite jetzt bei Lidl.",
            ("you", "works_at", "lidl"),
        ),
        ("No sé si mudarme, vivo en Bilbao.", ("you", "lives_in", "bilbao")),
        ("I don't know if you can help, I'm allergic to nuts.", ("you", "allergic_to", "nuts")),
    ],
)
def test_what_stands_beside_the_question_is_told(text: str, told: tuple[str, str, str]) -> None:
    assert list_told(text) == [told]


@pytest.mark.parametrize(
    "text",
    [
        "In the dream I live in Hull.",
        "In the series I'm watching, the heroine is a surgeon in Leeds and she has two kids.",
        "Dans la série que je regarde, l'héroïne est chirurgienne à Marseille et elle a deux enfants.",
        "En la serie que veo, la protagonista es cirujana en Vigo y tiene dos hijos.",
        "Na série que vejo a protagonista mora em Faro.",
        "בסדרה שאני רואה הגיבורה גרה בחיפה",
        "For the exercise, I work at Aldi.",
        "Im Traum wohne ich in Bonn.",
        "En el sueño vivo en Bilbao.",
        "Dans mon rêve, j'habite à Lyon.",
        "Nel sogno lavoro all'Esselunga.",
        "No sonho moro em Faro.",
        "בחלום אני גרה בחיפה.",
    ],
)
def test_a_dream_and_an_exercise_tell_nothing(text: str) -> None:
    assert read_claims(text) == []


@pytest.mark.parametrize(
    "text",
    ["If I live in Hull, do I pay less?", "Si vivo en Bilbao, ¿pago menos?", "Se vivo a Bari, pago meno?"],
)
def test_a_question_about_a_case_tells_nothing(text: str) -> None:
    assert read_claims(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my mate Dave says I should quit my job and become a DJ lol", [("you", "friend_of", "dave")]),
        ("I should quit my job and become a DJ", []),
        ("my sister wants me to move to Leeds and work at Tesco", []),
        ("mein Kumpel Jan sagt ich soll kündigen und DJ werden", [("you", "friend_of", "jan")]),
        ("my sister says I should move but she lives in Leeds", [("sister", "lives_in", "leeds")]),
    ],
)
def test_what_somebody_should_do_is_not_done(text: str, told: list[tuple[str, str, str]]) -> None:
    assert list_told(text) == told
