"""Reasons from how a memory is worded and whom it speaks of, in each of the six languages."""

import pytest

from memory.language import build_query_groups, intents
from memory.language.folding import fold_text
from memory.language.names import find_names
from memory.retrieval.query import is_about_me, understand_query
from memory.retrieval.signals import alias, exact, recency, subject, wording
from memory.retrieval.signals import question as asked
from tests.memory.retrieval.pools import NOW, fact, make_pool, signal_values, text


@pytest.mark.parametrize(
    "heading",
    [
        "What the neighbour grows: leeks, mostly",
        "Lo que vende: quesos. Qué más no se sabe",
        "Où le voisin range son vélo, personne ne le sait",
        "Wer den Schirm vergessen hat, ist nicht bekannt",
        "Che cosa manca per la festa: le luci",
        "מה שכתוב על השער: אין חניה",
    ],
)
def test_what_begins_like_a_question_is_a_heading(heading: str) -> None:
    expected = not heading.startswith("Lo que")
    assert intents.is_heading(fold_text(heading)) is expected
    assert not intents.is_heading(fold_text("What does the neighbour grow?"))
    assert not intents.is_heading(fold_text("Leeks grow behind the wall"))


def test_a_note_is_about_what_its_label_says() -> None:
    items = (
        text("Plumber, Tuesday: the valve is ordered"),
        text("Fontanero: la válvula está pedida"),
        text("The plumber of the neighbours came late: it was dark"),
        text("Electrician: nothing this week"),
        text("What the plumber likes: tea"),
        text("User: the plumber called\nAssistant: Noted."),
        text("Did the plumber ring? Yes: twice"),
        text("The plumber starts at 12:30"),
        text("Plumber: said in a talk", thread_id="talk"),
    )

    values = signal_values(wording.LABEL, "What did the plumber say?", *items)

    assert [value > 0 for value in values] == [True, True, True, *[False] * 6]


def test_the_same_deed_the_other_way_round_is_another() -> None:
    question = "What did Olga lend Pavel?"
    items = (text("Pavel lent Olga a drill"), text("Olga lent Pavel a saw"), text("Pavel has Olga's saw"))
    candidates = make_pool(question, *items)
    held = [(True, True, True), (True, True, True), (True, False, True)]
    for candidate, holds in zip(candidates, held, strict=True):
        candidate.memory = candidate.memory._replace(holds=holds)
    assert len(build_query_groups(question)) == 3
    assert list(wording.SWAPPED.value(understand_query(question, (), NOW), candidates)) == [1.0, 0.0, 0.0]


def test_who_bears_a_name_is_known_from_a_statement() -> None:
    items = (
        fact("Pluto is the user's tortoise"),
        text("The tortoise has eaten again"),
        text("Pluto is no planet any more"),
        text("Rain all day"),
    )
    assert signal_values(alias.ALIAS, "How is Pluto?", *items) == [0.0, 1.0, 0.0, 0.0]
    assert signal_values(alias.ALIAS, "How is Ceres?", *items) == [0.0] * 4
    assert signal_values(alias.ALIAS, "מה שלום רוז?", fact("רוז היא בת דודה של המשתמש"), text("בת הדודה נחתה")) == [
        0.0,
        1.0,
    ]


def test_a_name_is_written_with_a_capital() -> None:
    items = (text("Robin called"), text("There is a robin in the hedge"), text("Robins Rad ist da"))
    assert signal_values(exact.NAMES, "What did Robin say?", *items) == [0.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Was hat Hedda von Milan geliehen?", ("hedda", "milan")),
        ("Welche Musik hört der Nutzer beim Arbeiten?", ()),
        ("Wer ist Eleonore Wackerbarth?", ("eleonore", "wackerbarth")),
        ("Was steht über nasses Holz in der Anleitung?", ()),
        ("Was trinkt Merle?", ("merle",)),
    ],
)
def test_german_names_are_told_from_things(question: str, names: tuple[str, ...]) -> None:
    assert find_names(question) == names


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do I collect?", True),
        ("How do I get wax off a tablecloth?", False),
        ("Who am I?", True),
        ("¿Qué colecciono?", True),
        ("Che strumento suono?", True),
        ("Che lavoro fa Sara?", False),
        ("¿Cómo me llamo?", True),
        ("Comment décoller une étiquette ?", False),
        ("Wie heiße ich?", True),
        ("Wie bekomme ich Wachs aus der Decke?", False),
        ("איך קוראים לי?", True),
        ("איך מורידים כתם מהספה שלי?", False),
    ],
)
def test_whether_the_user_is_the_matter(question: str, expected: bool) -> None:
    assert is_about_me(fold_text(question)) is expected


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What did the vet say last time?", "What did the vet say"),
        ("What was decided at the latest meeting?", "What was decided at the meeting?"),
        ("¿Qué dijo la maestra la última vez?", "¿Qué dijo la maestra"),
        ("Qu'a dit le médecin la dernière fois ?", "Qu'a dit le médecin ?"),
        ("Was hat der Arzt beim letzten Mal gesagt?", "Was hat der Arzt gesagt?"),
        ("Che cosa ha detto il medico l'ultima volta?", "Che cosa ha detto il medico"),
        ("מה אמר הרופא בפעם האחרונה?", "מה אמר הרופא"),
        ("Which stop comes before the lake?", "Which stop comes before the lake?"),
    ],
)
def test_last_time_says_which_and_not_what(question: str, left: str) -> None:
    assert understand_query(question, (), NOW).embedded == left


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What is my husband called?", "What is my husband"),
        ("what's the cactus called again", "what's the cactus again"),
        ("Wie heißt mein Hund?", "Wie mein Hund?"),
        ("¿Cómo se llama mi gato?", "¿Cómo mi gato?"),
        ("Comment s'appelle ma cheffe ?", "Comment ma cheffe ?"),
        ("le chat s'appelle comment ?", "le chat comment ?"),
        ("Come si chiama la mia dottoressa?", "Come la mia dottoressa?"),
        ("Como se chama a minha dentista?", "Como a minha dentista?"),
        ("איך קוראים לכלב שלי?", "איך לכלב שלי?"),
        ("Who called me on Friday?", "Who called me on Friday?"),
    ],
)
def test_a_question_for_a_name_looks_for_nothing_that_is_called_something(question: str, left: str) -> None:
    read = understand_query(question, (), NOW)
    assert read.search_text == left
    assert read.embedded == question


def test_a_number_in_digits_or_words_may_be_what_is_asked_for() -> None:
    items = (text("It took 40 minutes"), text("Quarante minutes"), text("Eine Stunde"), text("A long way"))
    values = signal_values(asked.FIGURE, "How much time did it take?", *items)
    assert [value > 0 for value in values] == [True, True, False, False]
    assert signal_values(asked.FIGURE, "Who drove?", *items) == [0.0] * 4


def test_a_name_inside_a_sentence_may_be_who_is_asked_for() -> None:
    items = (text("It was at Oskar's table"), text("It was at the long table"), text("Tables were long"))
    first, *others = signal_values(asked.PROPER_NAME, "Who laid the table?", *items)
    assert first > 0.5
    assert others == [0.0, 0.0]
    assert signal_values(asked.PROPER_NAME, "How long was the table?", *items) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("question", "is_negated"),
    [
        ("Which rooms were never painted?", True),
        ("Why was the room never painted?", False),
        ("Which task is still open?", True),
        ("¿Qué mesa falta por reservar?", True),
        ("Pourquoi le chat ne mange-t-il plus ?", False),
        ("Quale camera è ancora da pulire?", True),
        ("Wer fehlt auf der Liste?", True),
        ("למה אין מים חמים?", False),
        ("Which task is open to all?", False),
    ],
)
def test_what_is_not_or_not_yet_is_asked_for(question: str, is_negated: bool) -> None:
    assert understand_query(question, (), NOW).is_negated is is_negated


def test_the_reason_for_a_state_is_what_happened_lately() -> None:
    items = (text("Hail on the roof", days_ago=1), text("Rain", days_ago=9), fact("Has a roof", days_ago=1))
    young, old, lasting = signal_values(recency.RECENT_CAUSE, "Why is the attic wet?", *items)
    assert young > 5 * old > 0
    assert lasting == 0
    among_many = signal_values(
        recency.RECENT_CAUSE, "Why is the attic wet?", *items, *[text(f"note {n}") for n in range(90)]
    )
    assert among_many[0] < young / 3
    assert signal_values(recency.RECENT_CAUSE, "Is the attic wet?", *items) == [0.0, 0.0, 0.0]


def test_only_the_subject_of_a_text_makes_it_about_somebody_else() -> None:
    items = (
        text("The user's nephew drives a van"),
        text("Drives a van these days, the old car went to a nephew"),
        fact("User and a nephew share a van"),
    )
    assert signal_values(subject.OTHER_PERSON, "What do I drive?", *items) == [1.0, 0.0, 0.0]


def test_what_somebody_did_is_not_told_by_how_things_are() -> None:
    items = (fact("Olga and Pavel share a workshop"), text("Pavel has the saw until Sunday"))
    assert signal_values(subject.BACKGROUND, "What did Olga lend Pavel?", *items) == [1.0, 0.0]
    assert signal_values(subject.BACKGROUND, "Was hat Hedda von Milan geliehen?", *items) == [1.0, 0.0]
    assert signal_values(subject.BACKGROUND, "What does Olga do?", *items) == [0.0, 0.0]


@pytest.mark.parametrize(
    "news",
    [
        "Moved to the harbour in spring",
        "Se mudó al puerto",
        "A déménagé au port",
        "Ist an den Hafen umgezogen",
        "Si è trasferito al porto",
        "עבר לנמל",
    ],
)
def test_news_replaces_what_was_written_down_before(news: str) -> None:
    old = fact("The user lives in the old town", days_ago=40)
    assert signal_values(recency.SUPERSEDED, "Where do I live?", old, fact(news, days_ago=30))[0] > 0
    same_age = fact("Likes the harbour", days_ago=30)
    assert signal_values(recency.SUPERSEDED, "Where do I live?", old, same_age) == [0.0, 0.0]
    assert signal_values(recency.SUPERSEDED, "Where do I live?", {**old, "days_ago": 400}, same_age)[0] > 0
