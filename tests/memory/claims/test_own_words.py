"""What of a turn is in the person's own voice."""

import pytest

from memory.claims import read_claims
from memory.claims.voices.own_words import keep_own_words

ORDERS = {
    "Translate this for my client: I am a nurse in Leeds and I'm allergic to latex.": "Leeds",
    "Traducime esto: I am a nurse in Leeds, I have two kids.": "Leeds",
    "Corrige este texto: Soy enfermera y vivo en Lugo.": "Lugo",
    "Kannst du das korrigieren? Ich bin Lehrerin und wohne in Kiel.": "Kiel",
    "Traduis ça en anglais : Je suis infirmière à Lyon.": "Lyon",
    "Mi ha scritto un cliente: buongiorno, abito a Novara e sono allergico al nichel. Che gli rispondo?": "Novara",
    "Facciamo un gioco di ruolo: sono un pittore, vivo in una soffitta a Milano": "Milano",
    "Traduz isto para inglês: Sou enfermeira no Porto.": "Porto",
    "תרגם לי את זה לאנגלית: אני אחות בחיפה": "חיפה",
    "Translate this:\nI am a nurse in Leeds.\nI have kids.": "Leeds",
    "Si viviera en Barcelona seguro iría a la playa": "Barcelona",
    "If we moved to Norway I would work on a ferry": "Norway",
    "Ojalá me tocara la lotería y me comprara un velero": "velero",
    'My sister said: "I am allergic to eggs"': "eggs",
    "for a novel: my name is Silas, I have leprosy and live in Malta. write ch 2": "Malta",
    "Für einen Roman: ich heiße Silas und lebe auf Malta.": "Malta",
    "write a scene where i am a pirate captain called Red Nell who lives on Tortuga": "Tortuga",
    "Please write me a short story in which I live on Tortuga.": "Tortuga",
    "can you write a scene with me as a captain who lives on Tortuga": "Tortuga",
    "Schreib eine Szene, in der ich eine Kapitänin auf Tortuga bin": "Tortuga",
    "escribe una escena en la que soy una capitana pirata y vivo en Tortuga": "Tortuga",
    "Écris une scène où je suis capitaine et je vis à Tortuga": "Tortuga",
    "scrivi una scena in cui sono un capitano e vivo a Tortuga": "Tortuga",
    "escreve uma cena em que eu sou capitã e moro em Tortuga": "Tortuga",
    "תכתוב סצנה שבה אני קפטן שגר בטורטוגה": "בטורטוגה",
}


@pytest.mark.parametrize(("turn", "word"), ORDERS.items())
def test_what_somebody_else_says_is_left_out_and_the_order_for_it_is_not(turn: str, word: str) -> None:
    assert word in turn
    assert word not in keep_own_words(turn)


@pytest.mark.parametrize(
    "turn",
    [
        "My doctor says I'm allergic to latex.",
        "The film where I met Tom was shot in Hull.",
        "I write a story about how I met my wife in Hull.",
        "Write a poem about my dog Rex, who lives with me in Hull.",
        "I live in Hull. Can you write a mail to my landlord?",
        "I'd love to live in Rome but I live in Hull.",
        "If I eat nuts I would choke.",
        "What fun, the boiler broke. I live in Hull now.",
        "Soy alérgica al kiwi, acordate.",
        "Vielleicht fang ich nächstes Jahr mit Klarinette an.",
        "I think he maybe has kids.",
        "Remember: I'm allergic to bees.",
        "Two things: I live in Hull, and I work in Goole.",
        "So it's official, they merged us in: my payslip says Aldine Group from this month.",
    ],
)
def test_what_the_person_says_of_themselves_is_kept(turn: str) -> None:
    assert keep_own_words(turn).split() == turn.split()


def test_what_is_told_before_an_order_is_the_persons_own() -> None:
    own = keep_own_words("I'm allergic to kiwi. Translate this: I'm allergic to bees")
    assert "kiwi" in own
    assert "bees" not in own


@pytest.mark.parametrize(
    "text",
    [
        "יש לנו כלבה, קוראים לה לונה.",
        "יש לי תור לרופא שיניים ביום שלישי.",
        "Io e Chiara abbiamo preso un gattino, si chiama Pixel.",
    ],
)
def test_of_a_subject_nothing_is_cut_off(text: str) -> None:
    assert {one.statement for one in read_claims(text)} == {text}


def test_what_is_had_is_no_word_for_whose_it_is() -> None:
    assert "לי" not in {one.object for one in read_claims("יש לי שלוש בנות.")}
