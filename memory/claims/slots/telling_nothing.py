"""Claims whose words tell nothing of their kind: a duty, a day, a verb, what almost was."""

import re
from itertools import pairwise
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.kinds import is_deed
from memory.claims.slots.matching import load_small_words, load_words
from memory.claims.slots.states import ALLERGIES, EATS
from memory.claims.slots.unnamed import CALLED, NAMED, belongs_to, is_listed, is_of_theirs
from memory.claims.subjects import PRONOUN
from memory.claims.taxonomy import ANIMALS, HAVING
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_text
from memory.language.periods import MONTHS, is_time_word

# Who has something themselves: "my dog's birthday", "my best friend's wedding".
HAD_BY_NAME: Final = NAMED | ANIMALS | {"friend_of"}
# Of which no time of the week is the object: "I can't do Wednesday".
TIMELESS: Final = frozenset({"smokes", "drinks", EATS, "dislikes", "studies"})
WORD: Final = re.compile(r"[^\W_]+")
ORDINAL: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)")


def tells_nothing(claim: Claim) -> bool:
    is_theirs = claim.relation in HAD_BY_NAME and is_of_theirs(claim.statement, claim.object)
    kinds = (belongs_to, is_verb, is_softener, is_duty, is_bidden, is_dated, is_almost, asks_who, is_mood, is_kept_up)
    return is_theirs or any(tells(claim) for tells in kinds)


def is_bidden(claim: Claim) -> bool:
    """ "Fala-me da vida em Beja": a verb with a pronoun written onto it gives nobody a rash."""
    return claim.relation in ALLERGIES and bool(claim.object) and f"{claim.object}-me " in claim.statement.casefold()


def is_softener(claim: Claim) -> bool:
    """ "Mail to my boss pls": a word of asking is nobody's name."""
    return claim.relation in CALLED and claim.object in load_words(claim.lang or "en", "softener")


def is_duty(claim: Claim) -> bool:
    """ "Tengo que escribir a mi jefe": what somebody has to do, and nothing that they have."""
    first, _, rest = claim.object.partition(" ")
    return claim.relation in HAVING and first in {"que", "de", "da"} and is_deed(rest, claim.lang)


def is_verb(claim: Claim) -> bool:
    """ "הבת שלי תהיה בת 6": what she will be is no name. "Empiezo el lunes": who begins is no appointment."""
    forms = load_words(claim.lang or "en", "will be")
    kinds = load_hot_words(claim.lang or "en").classify(claim.subject) if claim.relation == "time" else frozenset()
    is_done = "first" in kinds and "event" not in kinds
    return is_done or claim.subject in forms or (claim.relation in CALLED and claim.object in forms)


def is_dated(claim: Claim) -> bool:
    """Of "am 3. März um 10 Uhr" no month is at ten, "I quit smoking yesterday" smokes no yesterday, and "we lost our
    cat on Friday" names none; "our dog is called Friday" does. "Empecé en mayo" names no employer."""
    is_named = claim.relation in CALLED and " " in claim.object
    is_when = (is_named or claim.relation in TIMELESS) and tells_when(claim.object, claim.lang)
    is_when = is_when or (claim.relation == "works_at" and fold_text(claim.object) in MONTHS)
    # "Und dann auch noch um halb neun": "then" is at no hour.
    language = claim.lang or "en"
    light = load_small_words(language) | load_words(language, "adv", "frames")
    is_nothing = is_time_word(fold_text(claim.subject)) or fold_letters(claim.subject) in light - {SPEAKER, PRONOUN}
    return is_when or (claim.relation == "time" and is_nothing)


def is_kept_up(claim: Claim) -> bool:
    """ "Je suis végétarienne depuis 5 ans": how long is told of the diet, and no event of that name lasts."""
    return claim.relation == "duration" and is_listed(claim.subject, "diet word")


def asks_who(claim: Claim) -> bool:
    """ "What's a good dinner" without its mark tells nothing of "what"."""
    return fold_letters(claim.subject) in load_words(claim.lang or "en", "question words", "bullets")


def is_mood(claim: Claim) -> bool:
    """ "Vivo en Vigo y soy feliz": no trade, though Spanish has no article before one."""
    return claim.relation == "works_as" and fold_letters(claim.object) in load_words(
        claim.lang or "en", "passing", "frames"
    )


def is_almost(claim: Claim) -> bool:
    """ "I nearly moved to York", "our cat almost died": no change; "almost 30" is one."""
    words = WORD.findall(fold_letters(claim.statement))
    almost = load_words(claim.lang or "en", "almost")
    is_short = any(word in almost and not behind.isdigit() for word, behind in pairwise(words))
    return is_short and claim.tense in {"new", "over"}


def tells_when(spoken: str, language: str) -> bool:
    """ "We got married last week" names nobody, nor "the 3rd of December"."""
    words = WORD.findall(fold_text(spoken))
    small = load_small_words(language or "en") | load_words(language or "en", "of", "frames")
    return any(map(is_time_word, words)) and all(
        is_time_word(word) or word in small or ORDINAL.fullmatch(word) is not None for word in words
    )
