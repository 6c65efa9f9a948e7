"""What a parse tells, on parses annotated by hand: labels of English (ClearNLP), German (TIGER) and universal ones."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from memory.claims.frames import pipelines
from memory.claims.frames.dependencies import read_dependencies
from memory.claims.frames.words import load_hot_words
from memory.claims.turns import read_turn
from tests.doubles.parses import annotate_parse

PARSES: dict[str, tuple[str, Sequence[str], set[str]]] = {
    "far from its verb": (
        "en",
        (
            "Ruth PROPN nsubj 4",
            "and CCONJ cc 0",
            "I PRON conj 0",
            "now ADV advmod 4",
            "live VERB ROOT 4",
            "quite ADV advmod 6",
            "happily ADV advmod 4",
            "in ADP prep 4",
            "Truro PROPN pobj 7",
        ),
        {"ruth|lives_in|truro", "you|lives_in|truro"},
    ),
    "a predicate": (
        "en",
        ("My PRON poss 1", "sister NOUN nsubj 2", "is AUX ROOT 2 be", "a DET det 4", "nurse NOUN attr 2"),
        {"sister|works_as|nurse"},
    ),
    "whose it is": (
        "en",
        ("My PRON poss 1", "dog NOUN nsubj 2", "is AUX ROOT 2 be", "Bosco PROPN attr 2"),
        {"you|dog|bosco"},
    ),
    "an apposition": (
        "en",
        (
            "my PRON poss 1",
            "boss NOUN nsubj 3",
            "Ramona PROPN appos 1",
            "owns VERB ROOT 3 own",
            "a DET det 5",
            "red ADJ amod 6",
            "van NOUN dobj 3",
        ),
        {"you|boss|ramona", "ramona|owns|red van"},
    ),
    "a denial of liking": (
        "en",
        ("I PRON nsubj 3", "do AUX aux 3", "n't PART neg 3", "like VERB ROOT 3", "olives NOUN dobj 3"),
        {"you|dislikes|olives"},
    ),
    "another denial": (
        "en",
        ("I PRON nsubj 3", "do AUX aux 3", "n't PART neg 3", "own VERB ROOT 3", "a DET det 5", "car NOUN dobj 3"),
        set(),
    ),
    "how many": (
        "en",
        ("We PRON nsubj 1", "have VERB ROOT 1", "three NUM nummod 3", "goats NOUN dobj 1 goat"),
        {"you|has|goats", "goats|quantity|3"},
    ),
    "joined objects, no subject": (
        "es",
        ("Adoro VERB root 0 adorar", "el DET det 2", "queso NOUN obj 0", "y CCONJ cc 4", "leer VERB conj 2"),
        {"you|likes|queso", "you|likes|leer"},
    ),
    "a dative": (
        "es",
        ("Me PRON obl:arg 1 yo", "gusta VERB root 1 gustar", "el DET det 3", "mar NOUN nsubj 1"),
        {"you|likes|mar"},
    ),
    "a case": (
        "fr",
        (
            "Je PRON nsubj 1",
            "travaille VERB root 1 travailler",
            "depuis ADP case 3",
            "hier ADV obl 1",
            "chez ADP case 5",
            "Airbus PROPN obl 1",
        ),
        {"you|works_at|airbus"},
    ),
    "a copula": (
        "it",
        ("Mia DET det:poss 1 mio", "zia NOUN nsubj 3", "è AUX cop 3 essere", "vegana ADJ root 3"),
        {"zia|is|vegana"},
    ),
    "a denied copula": (
        "it",
        ("Mia DET det:poss 1 mio", "zia NOUN nsubj 4", "non ADV advmod 4", "è AUX cop 4 essere", "vegana ADJ root 4"),
        set(),
    ),
    "a passive name": (
        "en",
        (
            "My PRON poss 1",
            "cat NOUN nsubjpass 6",
            ", PUNCT punct 1",
            "of ADP prep 1",
            "course NOUN pobj 3",
            "is AUX auxpass 6 be",
            "called VERB ROOT 6 call",
            "Tom PROPN oprd 6",
            "Thumb PROPN flat 7",
        ),
        {"you|cat|tom thumb"},
    ),
    "a name of one's own": (
        "fr",
        ("Je PRON nsubj 2", "m' PRON expl:comp 2", "appelle VERB root 2 appeler", "Léo PROPN xcomp 2"),
        {"you|name|léo"},
    ),
    "a name without a subject": (
        "it",
        ("Mi PRON expl 1", "chiamo VERB root 1 chiamare", "Livia PROPN xcomp 1"),
        {"you|name|livia"},
    ),
    "somebody's name": (
        "es",
        (
            "Mi DET det 1",
            "hermana NOUN nsubj 3",
            "se PRON expl 3",
            "llama VERB root 3 llamar",
            "Ana PROPN obj 3",
        ),
        {"you|sister|ana"},
    ),
    "a name that is none": (
        "en",
        (
            "My PRON poss 1",
            "cat NOUN nsubjpass 4",
            "is AUX auxpass 4 be",
            "not PART neg 4",
            "called VERB ROOT 4 call",
            "Tom PROPN oprd 4",
        ),
        set(),
    ),
    "friends of one another": (
        "en",
        ("Leo PROPN nsubj 3", "and CCONJ cc 0", "Kim PROPN conj 0", "are AUX ROOT 3 be", "friends NOUN attr 3 friend"),
        {"leo|friend_of|kim"},
    ),
    "a friend of the speaker": (
        "de",
        (
            "Jonas PROPN sb 3",
            "und CCONJ cd 0",
            "ich PRON cj 1",
            "sind AUX ROOT 3 sein",
            "befreundet ADJ pd 3",
        ),
        {"you|friend_of|jonas"},
    ),
    "joined by a conjunction": (
        "de",
        (
            "Ich PRON sb 1",
            "mag VERB ROOT 1 mögen",
            "Käse NOUN oa 1",
            "und CCONJ cd 2",
            "Oliven NOUN cj 3",
        ),
        {"you|likes|käse", "you|likes|oliven"},
    ),
    "friends with a copula below": (
        "es",
        (
            "Leo PROPN nsubj 4",
            "y CCONJ cc 2",
            "Kim PROPN conj 0",
            "son AUX cop 4 ser",
            "amigos NOUN root 4 amigo",
        ),
        {"leo|friend_of|kim"},
    ),
    "German labels": (
        "de",
        (
            "Seit ADP mo 2",
            "Jahren NOUN nk 0 jahr",
            "wohnt VERB ROOT 2 wohnen",
            "meine DET nk 4",
            "Schwester NOUN sb 2",
            "in ADP mo 2",
            "Husum PROPN nk 5",
        ),
        {"schwester|lives_in|husum"},
    ),
}


@pytest.mark.parametrize(("language", "rows", "told"), PARSES.values(), ids=PARSES)
def test_a_parse_tells_triples(language: str, rows: Sequence[str], told: set[str]) -> None:
    found = read_dependencies(annotate_parse(rows), load_hot_words(language))

    assert {"|".join(one.key) for one in found} == told


def parse_as(rows: Sequence[str]) -> object:
    return lambda _text: annotate_parse(rows)


@pytest.mark.parametrize(
    ("text", "told"),
    {
        "Where Ruth who knits now in Truro lives": set(),
        "Ruth who knits lives now in Truro": {"ruth|lives_in|truro"},
    }.items(),
)
def test_a_named_pipeline_adds_what_is_told_plainly(text: str, told: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tags = {"Ruth": "PROPN nsubj", "lives": "VERB ROOT", "in": "ADP prep", "Truro": "PROPN pobj"}
    words = text.split()
    verb, place = words.index("lives"), words.index("in")
    heads = {"in": verb, "Truro": place}
    rows = [f"{word} {tags.get(word, 'X dep')} {heads.get(word, verb)}" for word in words]
    monkeypatch.setattr(pipelines, "load_pipeline", lambda _name: parse_as(rows))

    reading = read_turn(text, (), "en", {"en": "some_pipeline"})

    assert {"|".join(one.key) for one in reading.triples} == told


def test_a_pipeline_may_be_named_by_its_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As `spacy.load` reads it; this one is not trained, so its parse tells nothing."""
    spacy.blank("en").to_disk(tmp_path / "plain")

    reading = read_turn("I live in Truro", (), "en", {"en": str(tmp_path / "plain")})

    assert [one.key for one in reading.triples] == [("you", "lives_in", "truro")]
    assert not caplog.records
    assert isinstance(pipelines.load_pipeline(str(tmp_path / "plain")), Language)


def test_a_pipeline_that_is_not_installed_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        readings = [read_turn("I live in Truro", (), "en", {"en": "no_such_pipeline"}) for _ in range(2)]

    assert [[one.key for one in reading.triples] for reading in readings] == [[("you", "lives_in", "truro")]] * 2
    assert len(caplog.records) == 1
