"""The words of frames in one language: classes of words, phrases that set a clause aside, frames of verbs.

They stand in `memory/language/<code>/frames.txt`; nouns that name a relation in `claims.txt` and `slots.txt`, for they
are the same for every reader. A frame is a line of forms, those of the person before the `/`, those of others behind
it, and the prepositions of its object behind `>`:

    frame lives_in = live, living, have settled / lives > in, at

A star lets a word go on. `dative` marks frames whose subject is a dative ("me gusta el mar").
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.slots.nouns import load_nouns
from memory.claims.taxonomy import FAVORITE, NOUNS
from memory.guard.spelling import fold_letters
from memory.language.loader import list_codes, read_entries, read_sections

SUBJECT: Final = "frames"
STORY: Final = "story"
# Every language that has frames.
LANGUAGES: Final = tuple(code for code in list_codes() if read_sections(code, SUBJECT))
FRAME: Final = "frame "
DATIVE: Final = "dative "
NOUN: Final = "noun "
ENDING: Final = "ending "
# Sections that hold phrases, looked for as they stand.
PHRASES: Final = frozenset(
    {"hedge", "wish", "plan", "ask", "request", "correct", "reacts", "past", "irony", "says", "today"}
    | {"parting", "mean", "succeeds", "courting", "compose", "unsay", "changed", "play", "suppose", "ahead", "as if"}
    | {"since then", "introduces", "moves out", "retires"}
)
DEAD: Final = "dead"
# Endings of adverbs that no list has: "absolutely", "tranquilamente".
ADVERBS: Final = {
    "en": (
        "ably",
        "ally",
        "ately",
        "etely",
        "ently",
        "ingly",
        "lessly",
        "fully",
        "ously",
        "utely",
        "tively",
        "edly",
        "urely",
    ),
    "es": ("mente",),
    "pt": ("mente",),
    "it": ("mente",),
    "fr": ("uellement", "alement", "ellement", "ivement", "eusement", "ablement", "amment", "emment", "iquement"),
}
ADVERB: Final = frozenset({"adv"})
SHORTEST_ADVERB: Final = 7
# How the third person of several ends where that of one is listed: "soporta", "soportan".
OF_SEVERAL: Final = {
    "es": (("a", "an"), ("e", "en"), ("ó", "aron")),
    "it": (("a", "ano"), ("e", "ono")),
    "pt": (("a", "am"), ("e", "em"), ("ou", "aram"), ("eu", "eram"), ("iu", "iram")),
    "fr": (("e", "ent"),),
    "de": (("t", "en"),),
}
SHORTEST_VERB: Final = 4
CONTRACTED_VERBS: Final = {"have": ("'ve",), "am": ("'m",)}
VERBS: Final = frozenset({"verb", "be 1", "be 3", "was", "have 1", "have 3", "frame"})
# A phrase of fewer letters is looked for with its accents only, and one of words that are others without them.
SHORTEST_BARE: Final = 6
OTHERS_BARE: Final = frozenset(
    {"waren", "war", "wurde", "wurden", "que", "quien", "quienes", "donde", "cuando", "como", "cuanto", "ou", "perche"}
)
ELIDED: Final = re.compile(r"(?<![\w'])(?:[cdjlmnst]|qu)'(?=\w)|n't")


@dataclass(frozen=True, slots=True)
class Frame:
    """``prepositions`` is empty where the object follows without one; ``is_third``: the form is not the person's."""

    relation: str
    words: tuple[str, ...]
    is_third: bool
    prepositions: frozenset[str]
    is_dative: bool = False
    is_ending: bool = False


@dataclass(frozen=True, slots=True)
class HotWords:
    language: str
    classes: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[str, ...]]
    frames: Mapping[str, tuple[Frame, ...]]
    nouns: Mapping[str, str]
    # Nouns of several words that name no relation of frames, though one of their words may: "grupo sanguíneo".
    other_nouns: frozenset[str]
    drops_subjects: bool

    def classify(self, text: str) -> frozenset[str]:
        """The classes of a word, which may stand without its accents."""
        known = self.classes.get(text)
        if known is None and len(text) >= SHORTEST_ADVERB and text.endswith(ADVERBS.get(self.language, ())):
            return ADVERB
        return known or frozenset()


@cache
def load_hot_words(language: str) -> HotWords:
    frames = tuple(read_frames(language))
    by_word: dict[str, list[Frame]] = {}
    for frame in frames:
        for first in {frame.words[0], fold_letters(frame.words[0]), *CONTRACTED_VERBS.get(frame.words[0], ())}:
            by_word.setdefault(first, []).append(frame)
    return HotWords(
        language,
        index_classes(language, frames),
        {
            **{name: load_phrases(language, name) for name in PHRASES},
            # The same words tell both readers what is a story.
            STORY: tuple(f" {one} " for one in read_entries(language, "claims", STORY)),
            DEAD: tuple(f" {one} " for one in read_entries(language, "pairs", "axis life dead")),
        },
        {word: tuple(sorted(found, key=lambda one: -len(one.words))) for word, found in by_word.items()},
        load_relation_nouns(language),
        frozenset(word for word, relation in load_nouns(language).items() if " " in word and relation not in NOUNS),
        bool(read_entries(language, SUBJECT, "drop")),
    )


def index_classes(language: str, frames: tuple[Frame, ...]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for section in read_sections(language, SUBJECT):
        if section in PHRASES or section.startswith((FRAME, DATIVE, NOUN, "split ", "favorite ")):
            continue
        for word in read_entries(language, SUBJECT, section):
            found.setdefault(word, set()).add(section)
    for frame in frames:
        if len(frame.words) == 1 and not frame.words[0].endswith("*"):
            found.setdefault(frame.words[0], set()).update({"frame"} if frame.is_third else {"frame", "first"})
    # A word without its accents is the same unless that is another word: "è" is no "e".
    for word, classes in list(found.items()):
        folded = fold_letters(word)
        if folded not in found or (folded in found and folded == word):
            found.setdefault(folded, set()).update(classes)
    return {word: frozenset(classes) for word, classes in found.items()}


def read_frames(language: str) -> Iterator[Frame]:
    for section, lines in read_sections(language, SUBJECT).items():
        if not section.startswith((FRAME, DATIVE)):
            continue
        relation = section.split()[1]
        for line in lines:
            forms, _, behind = line.partition(">")
            prepositions = frozenset(one.strip() for one in behind.split(",") if one.strip())
            first, _, third = forms.partition("/")
            for is_third, side in ((False, first), (True, third)):
                for phrase in list_forms(side, language, is_third=is_third):
                    yield Frame(
                        relation,
                        tuple(phrase.split()),
                        is_third,
                        prepositions,
                        is_dative=section.startswith(DATIVE),
                        is_ending=section.endswith(" over"),
                    )


def list_forms(side: str, language: str, *, is_third: bool) -> list[str]:
    """The forms of one side of a frame, and of single verbs in the third person their plural."""
    forms = [one.strip() for one in side.split(",") if one.strip()]
    if not is_third:
        # "Ich leb", "ich wohn".
        cut = [form[:-1] for form in forms if language == "de" and form.endswith("e") and len(form) >= SHORTEST_VERB]
        return list(dict.fromkeys([*forms, *cut]))
    endings = OF_SEVERAL.get(language, ())
    plurals = [
        form.removesuffix(one) + several
        for form in forms
        if len(form.split()[-1]) >= SHORTEST_VERB
        for one, several in endings
        if form.endswith(one)
    ]
    return list(dict.fromkeys([*forms, *plurals]))


def load_phrases(language: str, section: str) -> tuple[str, ...]:
    """As they are written and, where that is no other word, without accents: speech leaves them off."""
    found: dict[str, None] = {}
    for one in read_entries(language, SUBJECT, section):
        found[f" {split_elisions(one)} "] = None
        folded = fold_letters(one)
        if folded != one and len(folded) >= SHORTEST_BARE and not (set(folded.split()) & OTHERS_BARE):
            found[f" {split_elisions(folded)} "] = None
    return tuple(found)


def split_elisions(phrase: str) -> str:
    """ "j'aimerais" stands as two words in a clause."""
    return ELIDED.sub(lambda match: f"{match[0]} ", phrase).replace("-", " ")


@cache
def load_relation_nouns(language: str) -> dict[str, str]:
    """Each noun that names a relation of the hot path, folded, and the relation."""
    found = {word: relation for word, relation in load_nouns(language).items() if relation in NOUNS}
    told: dict[str, str] = {}
    for section in read_sections(language, SUBJECT):
        if section.startswith(NOUN):
            for word in read_entries(language, SUBJECT, section):
                # "Avó" and "avô" are two: what has accents is looked up with them first.
                told[word.casefold()] = section.removeprefix(NOUN)
                told.setdefault(fold_letters(word), section.removeprefix(NOUN))
    found |= told
    return {word: relation for word, relation in found.items() if relation in NOUNS or relation.startswith(FAVORITE)}


@cache
def load_favorites(language: str) -> dict[str, str]:
    """The nouns of favourites: "film" names `favorite_movie`, though a film by itself names nothing."""
    return {
        fold_letters(word): f"{FAVORITE}{section.split()[1]}"
        for section in read_sections(language, SUBJECT)
        if section.startswith("favorite ")
        for word in read_entries(language, SUBJECT, section)
    }
