from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.language import MOST_GROUPS, analysis, build_query_groups, build_tsquery, build_tsvector, extract_terms


def matches_any(query: str, document: str) -> bool:
    """Whether any word of the query meets the document."""
    held = set(extract_terms(document))
    return any(held.intersection(group) for group in build_query_groups(query))


def matches_all(query: str, document: str) -> bool:
    held = set(extract_terms(document))
    groups = build_query_groups(query)
    return bool(groups) and all(held.intersection(group) for group in groups)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("paintings", "She painted a sunrise last year and hung the painting in the hall."),
        ("running", "He runs every morning before work."),
        ("canciones", "Escribí una canción para la boda de mi hermana."),
        ("cancion", "Escribí una canción para la boda de mi hermana."),
        ("Haus", "Die alten Häuser am Marktplatz werden nun doch nicht abgerissen."),
        ("Hausern", "Die alten Häuser am Marktplatz werden nun doch nicht abgerissen."),
        ("citta", "Vive in una città sul mare con i suoi figli."),
        ("ragazza", "Le ragazze che ho visto ieri sera sono qui."),
        ("parlé", "Nous avons parlé de nos vacances."),
        ("vacance", "Nous avons parlé de nos vacances."),
        ("STRASSE", "Die Straße ist gesperrt."),
        ("dog", "Dog food"),
        ("Hund", "Hund"),
    ],
)
def test_a_word_is_found_in_its_other_forms(query: str, document: str) -> None:
    assert matches_all(query, document)


@pytest.mark.parametrize("language_word", ["Kubernetes", "restaurante", "Zimmermann", "boulangerie", "negozio"])
@pytest.mark.parametrize(
    "frame",
    ["{}", "the {} that we had with him", "el {} de los que no", "le {} que nous avons", "der {} ist nicht mit dem"],
)
def test_the_same_word_is_found_whatever_language_surrounds_it(language_word: str, frame: str) -> None:
    assert matches_all(language_word, frame.format(language_word))


def test_a_stem_of_one_language_does_not_meet_a_word_of_another() -> None:
    assert not matches_any("cares", "I bought a car from him.")
    assert matches_any("cares", "She took care of it.")


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("ילדים", "הילד הלך לגן"),
        ("הספר", "קראתי ספרים טובים בקיץ"),
        ("ספר", "וכשהספרים הגיעו שמחנו"),
        ("שלום", "שָׁלוֹם לכולם"),
        ("חברות", "חברה חדשה נפתחה בעיר"),
        ("שולחנות", "קניתי שולחן"),
        ("צה״ל", 'שירתתי בצה"ל שלוש שנים'),
        ("תל אביב", "נסענו לתל־אביב"),
    ],
)
def test_hebrew_is_found_through_particles_endings_and_points(query: str, document: str) -> None:
    assert matches_any(query, document)


def test_a_hebrew_root_letter_is_not_taken_for_a_particle_when_little_would_be_left() -> None:
    assert not matches_any("כלב", "הלב שלי")
    assert not matches_any("בית", "הית")


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("It failed with ERR_4521.", "err_4521", "4521"),
        ("see #5678!", "#5678", "5678"),
        ("upgraded to v2.1.3 today", "v2.1.3", "2.1.3"),
        ("HLP-9034: toner sensor", "hlp-9034", "9034"),
        ("write to Ana.Ruiz@example.com,", "ana.ruiz@example.com", "en:ruiz"),
        ("docs: https://example.com/guide/setup?x=1.", "example.com/guide/setup?x=1", "en:setup"),
        ("edit /etc/nginx/nginx.conf now", "etc/nginx/nginx.conf", "en:nginx"),
        (r"C:\Users\ana\notes.txt is it", r"c:\users\ana\notes.txt", "en:note"),
        ("call getUserName() first", "en:getusernam", "en:user"),
        ("on 2023-05-07 we met", "2023-05-07", "month:5"),
        ("it took 1,250,000.50 euros", "1250000.50", "1250000"),
        ("the 7th of them", "7th", "7"),
        ("I write C++ and C#", "c++", "c#"),
        ("an e-mail from her", "en:email", "en:mail"),
        ("HLP-9034's cause", "hlp-9034", "9034"),
    ],
)
def test_identifiers_are_kept_whole_and_also_split(text: str, whole: str, part: str) -> None:
    held = extract_terms(text)
    assert whole in held
    assert part in held
    assert not [term for term in held if term.endswith((".", ",", ":", "!"))]


def test_a_swapped_digit_does_not_make_an_identifier() -> None:
    right, wrong = set(extract_terms("ticket HLP-9034")), set(extract_terms("ticket HLP-9043"))
    groups = build_query_groups("HLP-9034")
    assert sum(bool(right.intersection(group)) for group in groups) == len(groups)
    assert sum(bool(wrong.intersection(group)) for group in groups) == 1


@pytest.mark.parametrize(
    ("query", "document"),
    [("5. Juni", "05.06. Prüfung"), ("en juin", "on 12 June 2024"), ("מאי", "7 May 2023"), ("junio", "2024-06-12")],
)
def test_months_meet_across_languages_and_digits(query: str, document: str) -> None:
    assert matches_any(query, document)
    assert {"month:5", "month:6"} & set(extract_terms(document))


def test_a_version_or_a_decimal_is_not_a_date() -> None:
    assert not [term for term in extract_terms("2.1.3 and 12.50 and 31.02.99999") if term.startswith("month:")]


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("東京", "来週東京都に行く"),
        ("猫", "我的猫很可爱"),
        ("서울", "서울에서 만나요"),
        ("กรุงเทพ", "ฉันอยู่ที่กรุงเทพมหานคร"),
        ("हिन्दी", "मुझे हिन्दी पसंद है"),
    ],
)
def test_scripts_without_spaces_are_found_by_pairs(query: str, document: str) -> None:
    assert matches_all(query, document)


def test_stop_words_are_dropped_unless_there_is_nothing_else() -> None:
    assert build_query_groups("What is the name of the dog?") == [
        *build_query_groups("name"),
        *build_query_groups("dog"),
    ]
    assert matches_all("the who", "The Who")
    assert len(build_query_groups("to be or not to be")) == 4
    asked, alone = build_query_groups("Was ist mit dem Auto"), build_query_groups("Auto")
    assert [group[:5] for group in asked] == [group[:5] for group in alone]


def test_one_foreign_stop_word_is_not_enough_to_drop_a_word() -> None:
    assert matches_all("hat", "Dad's hat")


@pytest.mark.parametrize(
    "text", ["", " \t\n", "!!! (((( ' \\ & |", "😂👍🏽", "\x00\x01", "\ud800\udfff", "--- ... ***", "\u202e\u200f"]
)
def test_text_without_a_word_gives_nothing(text: str) -> None:
    assert extract_terms(text) == []
    assert build_query_groups(text) == []
    assert build_tsvector(text, 7) == ""


def test_accents_case_width_and_unseen_characters_do_not_matter() -> None:
    for other in ("Café", "CAFÉ", "cafe\u0301", "ｃａｆé", "ca\u00adfé", "ca\u200bfé", "cafe", "\u202ecafé"):
        assert matches_all(other, "the café"), other


def test_apostrophes_leave_the_word() -> None:
    assert matches_all("Anna", "Anna’s bicycle")
    assert matches_all("eau", "de l'eau")
    assert matches_all("arte", "dell’arte")
    assert build_query_groups("don't") == build_query_groups("do")


def test_a_query_is_cut_to_64_groups_and_2000_characters() -> None:
    assert len(build_query_groups(" ".join(f"word{number}x" for number in range(100_000)))) <= MOST_GROUPS
    assert not matches_any("." * 2_000 + " lighthouse", "lighthouse")


def test_what_is_cut_off_a_query_is_not_even_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = []

    def noting_length(read: Callable[[str], object]) -> Callable[[str], object]:
        def noted(text: str) -> object:
            lengths.append(len(text))
            return read(text)

        return noted

    for name in ("normalise_text", "split_tokens"):
        monkeypatch.setattr(analysis, name, noting_length(getattr(analysis, name)))
    build_query_groups("ab " * 350_000)
    assert lengths == [2_000, 2_000]


def test_repeated_words_make_one_group() -> None:
    groups = build_query_groups("the dog, dogs, DOG and the dog's")
    assert len(groups) == 1
    assert set(build_query_groups("dog")[0]) <= set(groups[0])


def test_terms_keep_their_order_and_repetition() -> None:
    assert extract_terms("dogs chase dogs") == ["en:dog", "en:chase", "en:dog"]


def test_a_literal_carries_positions_and_quotes_its_marks() -> None:
    assert build_tsvector("dogs chase dogs", 7) == "'7~en:dog':1,3 '7~en:chase':2"
    assert build_tsvector(r"x\b", 7).startswith(r"'7~x\\b':1 ")
    assert build_tsquery(["it's", "b\\"], 7) == r"'7~it''s'|'7~b\\'"


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"w{number}" for number in range(6_000)),
        "x" * 32_768,
        "東" * 32_768,
        "".join(chr(0x4E00 + number % 20_000) for number in range(32_768)),
        "a/b_c-d.e@" * 3_276,
        " ".join("בכש" + chr(0x5D0 + number % 27) * 3 for number in range(5_000)),
        "\ufdfa" * 32_768,
        "1a" * 16_384,
        "é" * 32_768,
        "dog " * 8_192,
    ],
)
def test_a_literal_of_the_longest_text_stays_within_what_postgres_takes(text: str) -> None:
    literal = build_tsvector(text[:32_768], 2**62)
    assert len(literal.encode()) <= 1_000_000
    assert "\x00" not in literal


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_found_by_itself(text: str) -> None:
    held = set(extract_terms(text))
    assert all(held.intersection(group) for group in build_query_groups(text))
    assert build_tsvector(text, 7).isprintable() or not text.isascii()


def test_threads_agree_on_stems() -> None:
    texts = [f"The {word}ings were {word}ed by {word}ers" for word in ("paint", "work", "build", "teach")] * 50
    expected = [extract_terms(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(extract_terms, texts)) == expected


@pytest.mark.parametrize("asked", ["coche", "voiture", "Auto", "macchina", "מכונית"])
def test_a_single_word_of_another_language_finds_the_english_one(asked: str) -> None:
    (group,) = build_query_groups(asked)
    assert set(group) & set(extract_terms("I bought a new car"))


@pytest.mark.parametrize(("asked", "said"), [("DB", "the database is slow"), ("database", "our DB is slow")])
def test_an_acronym_stands_for_its_word_both_ways(asked: str, said: str) -> None:
    (group,) = build_query_groups(asked)
    assert set(group) & set(extract_terms(said))
