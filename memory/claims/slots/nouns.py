"""Nouns that name a relation, and the names that stand beside them: "my sister Anna", "two dogs, Biscuit and Mabel"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.slots.matching import SlotMatch, load_words
from memory.claims.subjects import is_person
from memory.claims.taxonomy import ANIMALS, KIN, PARTNERS
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries, read_sections
from memory.language.names import load_given_names

WORDS: Final = re.compile(r"[א-ת]+\"[א-ת]+|[^\W_]+")
# Words between "my" and the noun, of a noun, and of a name.
MOST_ADJECTIVES: Final = 2
NOUN_SIZES: Final = (3, 2, 1)
LONGEST_NAME: Final = 3
# The languages in which a noun has a capital too, and that have none at all.
CAPITAL_NOUNS: Final = frozenset({"de"})
NAMES_BEHIND: Final = re.compile(
    r"(?:\s?[,:(–-]\s?|,?\s)"
    r"(?:(?:named|called|namens|llamad[oa]s?|nommée?s?|appelée?s?|chiamat[oaie]|di nome|chamad[oa]s?)\s)?"
    r"([A-ZÀ-Þ]\w{1,30}(?:(?:,\s|\s(?:and|und|y|et|e|i)\s)[A-ZÀ-Þ]\w{1,30}){0,5})"
)
# The weight of a name beside a noun: nothing tells more surely who somebody is.
NAMED: Final = 100
NAMES_BESIDE: Final = re.compile(
    r"(?:,\s|,?\s(?:and|und|y|et|e|ed|i)\s)([A-ZÀ-Þ]\w{1,30})(?=[.,!?)]|\s(?:and|und|y|et|e|ed|i)\s|$)"
)
MOST_NAMES: Final = 5
# Sections of `frames.txt` and `slots.txt` whose words tell how somebody is or what they do.
PREDICATES: Final = ("verb", "quality", "occupation", "complement", "passing", "age word", "have", "lack")
STATES: Final = ("jobs", "diet word", "ill word", "religion word", "condition")
CLOCK: Final = re.compile(r"\d{1,2}(?:am|pm|h|uhr|st|nd|rd|th)")
NAME: Final = re.compile(r"[A-ZÀ-Þ]\w+")


def is_person_or_animal(relation: str) -> bool:
    return is_person(relation) or relation in ANIMALS


@cache
def load_nouns(language: str) -> dict[str, str]:
    """Each noun that names a relation, as it is said, and the relation; the nouns of slots before those of claims."""
    found: dict[str, str] = {}
    for subject in ("slots", "claims"):
        for section in read_sections(language, subject):
            if section.startswith("noun "):
                for word in read_entries(language, subject, section):
                    found.setdefault(fold_letters(word), section.removeprefix("noun "))
    return found


def find_noun(words: Sequence[str], language: str) -> tuple[str, str] | None:
    """The last noun of a phrase that names a relation, as said, and its relation; else its last word for both."""
    known = find_known_noun(words, language)
    if known is not None:
        return known
    small = load_words(language, "article") | load_words(language, "my") | load_words(language, "adverb")
    rest = [word for word in words if fold_letters(word) not in small]
    return (rest[-1], "_".join(map(fold_letters, rest))) if 0 < len(rest) <= MOST_ADJECTIVES else None


def ends_in_name(words: Sequence[str]) -> bool:
    """ "Mi compañera Lucía es muy maja": a name beside a noun makes no relation of the two."""
    return len(words) > 1 and fold_name(words[-1]) in load_given_names()


def is_model(noun: str, language: str) -> bool:
    """ "My S23 is broken", "my 13 mini is flat": a thing that has a number for its name, and no ten minutes."""
    words = noun.split("_")
    has_number = any(char.isdigit() for char in noun) and any(char.isalpha() for char in noun)
    is_timed = any(CLOCK.fullmatch(word) or word in load_words(language, "unit", "frames") for word in words)
    return has_number and not is_timed


def find_known_noun(words: Sequence[str], language: str) -> tuple[str, str] | None:
    nouns = load_nouns(language)
    folded = [fold_letters(word) for word in words]
    for size in NOUN_SIZES:
        for at in range(len(folded) - size, -1, -1):
            if (relation := nouns.get(" ".join(folded[at : at + size]))) is not None:
                return " ".join(words[at : at + size]), relation
    return None


def find_appositions(raw: str, language: str) -> Iterator[SlotMatch]:
    """ "My greyhound Biscuit", "mon chef, M. Garnier": somebody's noun, and the name beside it.

    Of "his wife Eilidh" the subject is the owner's word.
    """
    words = list(WORDS.finditer(raw))[:60]
    folded = [fold_letters(word[0]) for word in words]
    mine = load_words(language, "my")
    nouns = load_nouns(language)
    for at, word in enumerate(folded):
        if word not in mine:
            continue
        if language == HEBREW:
            relation = nouns.get(folded[at - 1]) if at else None
            yield from assign_owner(name_behind(raw, words, at, relation, at, language), word, language)
            continue
        for place in range(at + 1, min(at + 2 + MOST_ADJECTIVES, len(words))):
            size = next((n for n in NOUN_SIZES if " ".join(folded[place : place + n]) in nouns), 0)
            if size:
                relation = nouns[" ".join(folded[place : place + size])]
                yield from assign_owner(
                    name_behind(raw, words, place + size - 1, relation, at, language), word, language
                )
                break


def assign_owner(named: Iterable[SlotMatch], owner: str, language: str) -> Iterator[SlotMatch]:
    theirs = owner in load_words(language, "their")
    yield from (replace(slot, subject=owner) if theirs else slot for slot in named)


def name_behind(
    raw: str, words: Sequence[re.Match[str]], last: int, relation: str | None, start: int, language: str
) -> Iterator[SlotMatch]:
    if relation is None or (language in CAPITAL_NOUNS | {HEBREW} and not is_person_or_animal(relation)):
        return
    first = last + 1
    small = load_words(language, "article")
    while first < len(words) and fold_letters(words[first][0]) in small and not words[first][0][0].isupper():
        first += 1
    end = first
    while end < min(len(words), first + LONGEST_NAME) and is_name_word(words[end][0], language):
        gap = raw[words[end - 1].end() : words[end].start()]
        if gap.strip(" .\ue001") not in ({"", ","} if end == first else {""}):
            break
        end += 1
    if end == first:
        return
    span = (words[first].start(), words[end - 1].end())
    name = raw[slice(*span)].casefold()
    yield SlotMatch(relation, SPEAKER, name, words[start].start(), span[1], weight=NAMED, object_span=span)


def is_name_word(word: str, language: str) -> bool:
    if language == HEBREW:
        small = (load_words(language, kind) for kind in ("adverb", "stop", "he", "article", "with he", "denial"))
        # "אמא שלי ואני": who speaks is nobody's name.
        is_speaker = word.removeprefix("ו") in load_words(language, "i")
        return not (
            is_speaker
            or is_predicate_word(word, language)
            or any(fold_letters(word) in kind for kind in small)
            or word.isdigit()
        )
    # "Meine Mutter Diabetes hat sie nicht".
    return word[0].isupper() and not (language in CAPITAL_NOUNS and is_predicate_word(word, language))


def is_predicate_word(word: str, language: str) -> bool:
    """ "My boss is vegetarian", "mein Chef ist Koch", "הבוס שלי אוכל": what stands behind a noun is no name of theirs.

    A capital is a name's where nouns have none: "my boss is Baker".
    """
    if (word[0].isupper() and language not in CAPITAL_NOUNS) or fold_name(word) in load_given_names():
        return False
    return fold_letters(word) in load_predicates(language)


@cache
def load_predicates(language: str) -> frozenset[str]:
    """Words that tell how somebody is or what they do."""
    told = {fold_letters(word) for kind in PREDICATES for word in read_entries(language, "frames", kind)}
    told |= {word for kind in STATES for one in load_words(language, kind) for word in one.split()[:1]}
    for section, lines in read_sections(language, "frames").items():
        if section.startswith("frame "):
            forms = (form.strip(" _") for line in lines for form in re.split(r"[,/]", line.partition(">")[0]))
            told |= {fold_letters(form.split()[0]) for form in forms if form}
    return frozenset(told.union(list_template_words(language)))


def list_template_words(language: str) -> Iterator[str]:
    """The words before a value in Hebrew, whose verbs in the present have no other list."""
    if language != HEBREW:
        return
    for line in (line for lines in read_sections(language, "slots").values() for line in lines if "<o" in line):
        for part in line.split():
            yield from re.split(r"[|/]", part.rstrip("?")) if "<" not in part else ()


def name_all(slot: SlotMatch, raw: str, language: str) -> list[SlotMatch]:
    """The names behind "two dogs", each as one of them."""
    noun = find_known_noun(WORDS.findall(slot.object), language)
    behind = NAMES_BEHIND.match(raw, slot.object_span[1])
    if noun is None or behind is None or not is_person_or_animal(noun[1]):
        return []
    return [
        SlotMatch(noun[1], SPEAKER, name[0].casefold(), slot.start, name.end(), object_span=name.span())
        for name in NAME.finditer(raw, behind.start(1), behind.end(1))
    ]


def name_beside(slot: SlotMatch, raw: str) -> Iterator[SlotMatch]:
    """The other names of those who have several: "my children are called Zélie and Basile"."""
    place = slot.object_span[1]
    for _ in range(MOST_NAMES):
        found = NAMES_BESIDE.match(raw, place)
        if found is None:
            return
        place = found.end(1)
        yield replace(slot, object=found[1].casefold(), end=place, object_span=found.span(1))


def has_owner(spoken: str) -> bool:
    """ "Brother's bike": in English whose a thing is stands before it."""
    return "'s " in spoken


def names_kin(statement: str, language: str) -> bool:
    """Whether it names a relative other than a partner.

    Of "Ali's mum died" and "se murió la madre de Ali" it is not Ali who has gone.
    """
    words = (fold_letters(one[0]) for one in WORDS.finditer(statement))
    known = (find_known_noun([word], language) for word in words)
    return any(one is not None and one[1] in KIN - PARTNERS for one in known)
