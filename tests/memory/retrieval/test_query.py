"""What a question asks for, read from its words."""

from datetime import UTC, datetime

import pytest

from memory.language.figures import find_codes, find_days, find_numbers
from memory.language.names import find_names
from memory.language.periods import find_window
from memory.retrieval.query import Query, understand_query

NOW = datetime(2025, 6, 16, 12, tzinfo=UTC)
SPEAKERS = ("Maya", "Jo Ann Weber", "user", "assistant")


def read_query(text: str) -> Query:
    return understand_query(text, SPEAKERS, NOW)


@pytest.mark.parametrize(
    ("text", "named", "embedded"),
    [
        ("What did Maya plant?", {"maya"}, "What did plant?"),
        ("What is Maya's  favourite tree?", {"maya"}, "What is favourite tree?"),
        ("what did MAYA and jo plant", {"maya", "jo ann weber"}, "what did and plant"),
        ("Did Jo Ann Weber call?", {"jo ann weber"}, "Did call?"),
        ("What does the user like?", set(), "What does the user like?"),
        ("What about mayas and the maya calendar", {"maya"}, "What about mayas and the calendar"),
        ("Maya?", {"maya"}, "Maya?"),
    ],
)
def test_speakers_are_named_and_left_out_of_what_is_embedded(text: str, named: set[str], embedded: str) -> None:
    found = read_query(text)
    assert found.named == named
    assert found.embedded == embedded


def test_hebrew_is_embedded_with_english_words_for_a_model_of_english_alone() -> None:
    hebrew, english = read_query("איפה הדרכון?"), read_query("Where is the passport?")

    assert hebrew.text_to_embed(is_glossed=True) == "איפה הדרכון? (passport)"
    assert hebrew.text_to_embed(is_glossed=False) == "איפה הדרכון?"
    assert english.text_to_embed(is_glossed=True) == "Where is the passport?"


@pytest.mark.parametrize(
    "text", ["When did we move?", "¿Cuándo fue?", "Quand part-il ?", "Wann war das?", "Quando parte?", "מתי זה היה?"]
)
def test_when_is_asked_in_six_languages(text: str) -> None:
    assert read_query(text).asks_when


@pytest.mark.parametrize(
    "text",
    [
        "How many chairs are left?",
        "What is the price of the tiles?",
        "¿Cuántas sillas quedan?",
        "¿Cuál es el precio del suelo?",
        "Combien de chaises reste-t-il ?",
        "Quel est le loyer du garage ?",
        "Wie viele Stühle sind übrig?",
        "Was kostet der Boden?",
        "Quante sedie restano?",
        "Qual è l'affitto del garage?",
        "Quantas cadeiras sobram?",
        "Qual é o preço do piso?",
        "כמה כיסאות נשארו?",
        "מה המחיר של הרצפה?",
    ],
)
def test_a_number_is_asked_for_in_seven_languages(text: str) -> None:
    assert read_query(text).asks_amount
    assert not read_query("Who has the chairs?").asks_amount


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("What did the dentist say last time?", "wants_latest"),
        ("What did we decide at the last board meeting?", "wants_latest"),
        ("Was ergab die letzte Vorstandssitzung?", "wants_latest"),
        ("¿Qué dijo la última vez?", "wants_latest"),
        ("Qu'a-t-elle dit la dernière fois ?", "wants_latest"),
        ("Was sagte er beim letzten Mal, zuletzt?", "wants_latest"),
        ("Che cosa ha detto l'ultima volta?", "wants_latest"),
        ("מה נאמר בפגישה האחרונה?", "wants_latest"),
        ("Cosa abbiamo visto di recente?", "wants_latest"),
        ("Cosa ho detto la volta scorsa?", "wants_latest"),
        ("¿Qué dije la vez pasada?", "wants_latest"),
        ("Where did we live before the flood?", "wants_earlier"),
        ("Which fix did not work?", "wants_failures"),
        ("What is my blood group?", "is_about_me"),
        ("¿Cuál es mi dirección?", "is_about_me"),
        ("מה הכתובת שלי?", "is_about_me"),
        ("Who am I?", "is_about_identity"),
        ("What does the manual say about oil?", "is_about_books"),
        ("What did I learn from the manual?", "wants_own_view"),
        ("What can she not eat?", "is_negated"),
        ("Was darf er nicht essen?", "is_negated"),
        ("What does Lea from the office want?", "is_qualified"),
        ("מה רוצה יוסי מהמועדון?", "is_qualified"),
    ],
)
def test_how_a_question_is_meant(text: str, flag: str) -> None:
    assert getattr(read_query(text), flag)


@pytest.mark.parametrize(
    "text", ["What is the last stop of the tram?", "Who is taller?", "Where is the key?", "מי חזר מהודו?"]
)
def test_an_ordinary_question_means_nothing_special(text: str) -> None:
    found = read_query(text)
    assert not any(
        (found.wants_latest, found.wants_earlier, found.wants_failures, found.is_about_books, found.has_date)
    )
    assert not found.is_qualified


def test_relations_are_the_same_in_every_language() -> None:
    assert (
        read_query("My wife").relations
        == read_query("Ma femme").relations
        == read_query("אשתו").relations
        != frozenset()
    )
    assert read_query("the neighbour").relations.isdisjoint(read_query("the wife").relations)


@pytest.mark.parametrize(
    ("text", "months", "years"),
    [
        ("What happened in March 2024?", {3}, {2024}),
        ("en marzo", {3}, set()),
        ("מה עשיתי במרץ?", {3}, set()),
        ("מה קרה ממאי 2024?", {5}, {2024}),
        ("מה קרה במרס?", {3}, set()),
        ("We march on", set(), set()),
        ("May I ask?", set(), set()),
        ("on 3 May", {5}, set()),
    ],
)
def test_months_and_years(text: str, months: set[int], years: set[int]) -> None:
    assert set(read_query(text).months) == months
    assert set(read_query(text).years) == years


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2025-06-15", "2025-06-16"),
        ("אתמול", "2025-06-15", "2025-06-16"),
        ("heute", "2025-06-16", "2025-06-17"),
        ("hace tres semanas", "2025-05-23", "2025-05-30"),
        ("two days ago", "2025-06-13", "2025-06-15"),
        ("il y a deux jours", "2025-06-13", "2025-06-15"),
        ("vor 2 tagen", "2025-06-13", "2025-06-15"),
        ("due giorni fa", "2025-06-13", "2025-06-15"),
        ("last week", "2025-06-02", "2025-06-15"),
        ("בשבוע שעבר", "2025-06-02", "2025-06-15"),
        ("בחודש שעבר", "2025-04-17", "2025-06-15"),
        ("the day before yesterday", "2025-06-14", "2025-06-15"),
        ("anteayer", "2025-06-14", "2025-06-15"),
        ("avant-hier", "2025-06-14", "2025-06-15"),
        ("vorgestern", "2025-06-14", "2025-06-15"),
        ("l'altro ieri", "2025-06-14", "2025-06-15"),
        ("שלשום", "2025-06-14", "2025-06-15"),
    ],
)
def test_stretches_of_time(text: str, first: str, last: str) -> None:
    window = find_window(text, NOW)
    assert window is not None
    assert [moment.date().isoformat() for moment in window] == [first, last]


def test_no_stretch_of_time_is_seen_where_there_is_none() -> None:
    assert find_window("the last resort", NOW) is None
    assert find_window("a week in politics", NOW) is None


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Close ERR_4521 and ab-12 now", {"err_4521", "ab-12"}),
        ("v2.1.3 of a/b2.txt", {"v2.1.3", "a/b2.txt"}),
        ("at 7:52 on the 3rd, 5kg for 20", set()),
        ("2025-01-02 and 05.06.", set()),
    ],
)
def test_identifiers(text: str, codes: set[str]) -> None:
    assert find_codes(text) == codes


@pytest.mark.parametrize(
    "text",
    ["5 June", "June 5th", "5. Juni", "le 5 juin", "5 de junio", "il 5 giugno", "5 ביוני", "2025-06-05", "05.06."],
)
def test_a_day_is_the_same_however_it_is_written(text: str) -> None:
    assert find_days(text) == {(6, 5)}


def test_a_slashed_date_is_read_both_ways() -> None:
    assert find_days("5/6/2025") == {(6, 5), (5, 6)}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("480", {480}),
        ("four hundred and eighty", {480}),
        ("vierhundertachtzig", {480}),
        ("cuatrocientos ochenta", {480}),
        ("1,900 and 25.50", {1900, 25.5}),
        ("two thousand five hundred", {2500}),
        ("one of the three", set()),
        ("on 5 June", set()),
    ],
)
def test_amounts_in_digits_and_words(text: str, numbers: set[float]) -> None:
    assert find_numbers(text) == numbers


def test_names_are_capitals_inside_a_sentence_but_not_in_german() -> None:
    assert find_names("Who is Lea Brandt-Olsen?") == ("lea", "brandt-olsen")
    assert find_names("¿En qué ciudad vive?") == ()
    assert find_names("Wo ist der Hund von der Katze?") == ()


@pytest.mark.parametrize(
    ("text", "limit"),
    [("Where is the key?", 5), ("How many trips did we make?", 12), ("List everything about the boat", 20)],
)
def test_the_question_tells_how_much_is_needed(text: str, limit: int) -> None:
    assert read_query(text).limit == limit


def test_a_question_of_several_is_taken_apart() -> None:
    assert read_query("When did we move, and who helped us?").parts == ("When did we move", "who helped us?")
    assert read_query("When did we move; what did it cost?").parts == ("When did we move", "what did it cost?")
    assert read_query("What did Ann and Ben say?").parts == ()
    assert read_query("Salt and pepper").parts == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("When did we move? Who helped? What did it cost?", ("When did we move?", "Who helped?", "What did it cost?")),
        ("¿Dónde vivo y cómo se llama mi perro?", ("¿Dónde vivo", "cómo se llama mi perro?")),
        ("Où est-ce que j'habite et où je travaille ?", ("Où est-ce que j'habite", "où je travaille ?")),
        ("Wo wohne ich und wie heißt mein Hund?", ("Wo wohne ich", "wie heißt mein Hund?")),
        ("Dove abito e perché ci vivo?", ("Dove abito", "perché ci vivo?")),
        ("איפה אני גר ואיך קוראים לכלב שלי?", ("איפה אני גר", "איך קוראים לכלב שלי?")),
    ],
)
def test_short_and_accented_questions_are_taken_apart_in_every_language(text: str, parts: tuple[str, ...]) -> None:
    assert read_query(text).parts == parts
    assert read_query(text).limit == 12


@pytest.mark.parametrize(
    "asked",
    [
        "avec qui je bricole la voiture le samedi",
        "um wen kümmert sich meine Schwester gerade",
        "by whom was the shed painted last year",
    ],
)
def test_a_question_may_begin_with_a_preposition_and_end_without_a_mark(asked: str) -> None:
    assert not understand_query(asked, (), NOW).is_remark
