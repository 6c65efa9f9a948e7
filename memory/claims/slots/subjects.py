"""Whom a slot is about: the person, somebody by their name, "my sister", or whoever "she" is after the turns before."""

from collections.abc import Sequence
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import LONGEST_NAME, WORDS, find_known_noun, find_noun, is_person_or_animal, load_nouns
from memory.claims.subjects import is_person
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.names import load_given_names

HAS: Final = "has"
# Last words of a phrase that mean the person as well: "the GP's put me".
ME: Final = frozenset({"me", "us", "mich", "mir", "uns", "nous", "לי", "לנו"})
# Relations of a thing or an animal that "it" goes on about.
THINGS: Final = frozenset({"owns", "car", "takes", HAS, "bike", "boat", "motorbike", "company", "shop", "gym"})
# Relations whose subject is a thing.
OF_THINGS: Final = frozenset({"takes_dose"})


def is_somebody(subject: str, language: str, known: Sequence[KnownSlot]) -> bool:
    """Whether a subject is a person, by its noun or by what was told of it."""
    if subject == SPEAKER:
        return True
    noun = find_known_noun(subject.split(), language)
    if noun is not None:
        return is_person(noun[1])
    return any(is_person(one.relation) for one in known if one.object == subject)


def find_subject_name(spoken: str, language: str, known: Sequence[KnownSlot]) -> str | None:
    """Whom a slot is about: the person, a name, the noun of somebody of theirs, or None for nobody known."""
    if spoken == SPEAKER:
        return SPEAKER
    words = WORDS.findall(spoken)
    skipped = load_words(language, "adverb") | load_words(language, "joint")
    while words and fold_letters(words[0]) in skipped:
        words.pop(0)
    if len(words) > 1 and words[-1].isdigit() and fold_name(words[-2]) in load_given_names():
        # "My son Tristan 12 loves football".
        words.pop()
    folded = [fold_letters(word) for word in words]
    is_owner = len(folded) == 1 and folded[0] in load_words(language, "their")
    if not words or folded[0] in load_words(language, "he") or is_owner:
        return find_last_subject(language, known, is_somebody=is_pronoun_of_people(words, language))
    # "The GP's put me" on it.
    if folded[0] in load_words(language, "i") or folded[-1] in ME:
        return SPEAKER
    if any(word in load_words(language, "my") for word in folded):
        return find_owned_name(words, folded, language, known)
    told_of = {one.object for one in known} | {one.subject for one in known}
    for at in range(len(words)):
        if (name := " ".join(words[at:]).casefold()) in told_of:
            return name
    small = load_words(language, "article") | load_words(language, "with he")
    rest = [word for word, plain in zip(words, folded, strict=True) if plain not in small]
    noun = find_known_noun(rest[:1], language)
    if noun is not None and is_person_or_animal(noun[1]) and rest[1:] and rest[1][0].islower():
        # "Papa va mieux, il ne prend plus ...": whoever was told of by the same noun in other words.
        return find_alike(noun, language, known)
    return " ".join(rest).casefold() if 0 < len(rest) <= LONGEST_NAME else None


def find_alike(noun: tuple[str, str], language: str, known: Sequence[KnownSlot]) -> str:
    """Whoever "papa" is: "père", where he was called so before."""
    nouns = load_nouns(language)
    alike = (one.subject for one in reversed(known) if nouns.get(fold_letters(one.subject)) == noun[1])
    return next(alike, noun[0].casefold())


def find_owned_name(words: list[str], folded: list[str], language: str, known: Sequence[KnownSlot]) -> str | None:
    """ "My sister Anna" is Anna; "my sister" whoever was told to be her, else the noun."""
    owner = next(at for at, word in enumerate(folded) if word in load_words(language, "my"))
    rest = words[owner + 1 :] or words[:owner]
    noun = find_noun(rest, language)
    if noun is None:
        return None
    behind = rest[len(noun[0].split()) :] if rest[: len(noun[0].split())] == noun[0].split() else []
    if behind and is_person_or_animal(noun[1]) and behind[0][0].isupper():
        return " ".join(behind).casefold()
    told = next((one.object for one in reversed(known) if one.relation == noun[1] and one.subject == SPEAKER), "")
    return told if told and is_person_or_animal(noun[1]) else noun[0].casefold()


def is_pronoun_of_people(words: Sequence[str], language: str) -> bool:
    """ "She takes warfarin": no medicine that was told before does. French and German call things "il" and "sie"."""
    kinds = load_hot_words(language).classify(words[0].casefold()) if language == "en" and words else frozenset()
    return bool(kinds & {"he", "she"})


def find_last_subject(language: str, known: Sequence[KnownSlot], *, is_somebody: bool = False) -> str | None:
    """Who "she" or "it" is: whoever or whatever was named last."""
    for one in reversed(known):
        if one.subject != SPEAKER and not (is_somebody and one.relation in OF_THINGS):
            return one.subject
        if is_person_or_animal(one.relation) or (one.relation in THINGS and not is_somebody):
            noun = find_known_noun(one.object.split(), language) if one.relation == HAS else None
            return noun[0] if noun else one.object
    return None
