"""What was told and has come to its end, named by a part of its name or by its kind: "someone nicked my bike", "das
Samsung ist hin", "j'ai laissé tomber le droit", "Nacho never came back".

No verb needs a frame for each thing that may break, be stolen or be given up: a phrase that says so, at once beside a
word of what was told, ends it in the slot that it was told in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.few_words.brief import BriefSentence
from memory.claims.frames.words import load_hot_words
from memory.claims.relations import ABOUT, fits_relation
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import load_phrases, load_small_words, load_words
from memory.claims.slots.nouns import find_known_noun, names_kin
from memory.claims.taxonomy import ANIMALS, HAVING
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_IN
from memory.language.stopwords import load_all_stop_words

VEHICLES: Final = frozenset({"car", "bike", "motorbike", "boat", "guitar"})
NUMBER: Final = "phone_number"
DEVICES: Final = frozenset({"phone", "laptop", "computer", "tablet", "device", "scooter", "watch"})
PURSUITS: Final = frozenset(
    {"plays", "plays_for", "studies", "learns", "learning", "hobby", "gym", "course", "choir", "band", "team", "sport"}
)
PURSUIT: Final = "pursuit ended"
GONE: Final = "animal gone"
# What each kind of words ends.
ENDED_BY: Final[Mapping[str, frozenset[str]]] = {
    "thing lost": VEHICLES | DEVICES | HAVING | {NUMBER},
    PURSUIT: PURSUITS,
    GONE: ANIMALS,
}
LOSABLE: Final = frozenset[str]().union(*ENDED_BY.values())
# What the reader of clauses makes of such words.
REPLACED: Final = frozenset({ABOUT, "participated_in", "has", "owns", "moved_from", "lives_in", "works_at", "is"})
# Words that may stand between what has ended and the words that say so: "my Pixel 6 got", "das Studium habe ich".
MOST_BETWEEN: Final = 4
SHORTEST: Final = 3
# Letters of a word from which a compound of German may begin with it: "Jurastudium".
LEAST_BEGUN: Final = 4
CUTS: Final = re.compile(r"[,;:.!?…]")
WORD: Final = re.compile(r"[^\W_]+")
SPOKEN: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
NOT: Final = "n't"


def add_loss(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence, or that what it names is over."""
    if one.ends_asking:
        return claims
    for language in one.languages:
        for told, spoken in find_lost(one.raw, language, one.known):
            ended = told.relation, told.object, "over"
            if any((claim.relation, claim.object, claim.tense) == ended for claim in claims):
                # Read by a frame, in a clause of its own.
                return claims
            over = one.make_claim(told.relation, told.object, language, subject=told.subject)
            kept = [claim for claim in claims if not tells_only_loss(claim, told, spoken)]
            return [*kept, replace(over, polarity=False, tense="over")]
    return claims


def tells_loss(text: str, language: str) -> bool:
    return any(load_phrases(language, kind).search(text) for kind in ENDED_BY)


def tells_only_loss(claim: Claim, told: KnownSlot, spoken: str) -> bool:
    """Whether a claim is what the clause reader made of the words of the loss; what takes its place is another."""
    if (claim.relation, claim.object) == (told.relation, told.object) or claim.relation == spoken:
        return True
    is_named = spoken in fold_letters(claim.statement)
    return is_named and claim.relation in REPLACED and (not claim.polarity or claim.relation not in HAVING)


def find_lost(raw: str, language: str, known: Sequence[KnownSlot]) -> Iterator[tuple[KnownSlot, str]]:
    """What was told and is named beside words that end it, with the word that names it."""
    for kind, relations in ENDED_BY.items():
        for match in load_phrases(language, kind).finditer(raw):
            told = [one for one in known if one.relation in relations and is_spoken_of(one, raw, language)]
            if not told or is_denied(raw, match.start(), language):
                continue
            for word in list_beside(raw, match.span(), kind):
                if kind == PURSUIT and is_left_somewhere(raw, word, match.start(), language):
                    continue
                named = (one for one in reversed(told) if names(word, one, raw, language))
                if (found := next(named, None)) is not None:
                    # What a phone is called is read as its number until it is seen to be a make.
                    is_number = found.relation == NUMBER and not fits_relation(NUMBER, found.object)
                    yield replace(found, relation="phone") if is_number else found, fold_letters(word[0])


def is_spoken_of(one: KnownSlot, raw: str, language: str) -> bool:
    """Of somebody else only where they are named, and of the person only where no kin is."""
    if one.subject != SPEAKER:
        return one.subject in fold_letters(raw)
    return not names_kin(raw, language)


def is_denied(raw: str, at: int, language: str) -> bool:
    """ "I haven't given up chess"."""
    clause = CUTS.split(raw[:at])[-1]
    denials = load_words(language, "not", "frames")
    return any(fold_letters(word) in denials or word.endswith(NOT) for word in SPOKEN.findall(clause))


def is_left_somewhere(raw: str, word: re.Match[str], phrase: int, language: str) -> bool:
    """ "Dejé la guitarra en casa": it is played on."""
    behind = WORD.match(raw[word.end() :].lstrip(" ")) if word.start() > phrase else None
    if behind is None or CUTS.match(raw, word.end()):
        return False
    return fold_letters(behind[0]) in list_place_words(language) or (
        language == HEBREW and behind[0].startswith(HEBREW_IN)
    )


@cache
def list_place_words(language: str) -> frozenset[str]:
    """What leads where somebody lives: "in", "en"."""
    frames = (frame for found in load_hot_words(language).frames.values() for frame in found)
    return frozenset(one for frame in frames if frame.relation == "lives_in" for one in frame.prepositions)


def list_beside(raw: str, phrase: tuple[int, int], kind: str) -> list[re.Match[str]]:
    """The words of the clause that stand near to a phrase, the nearest first; an animal may open it."""
    between = len(raw) if kind == GONE else MOST_BETWEEN
    words = list(WORD.finditer(raw))
    before = [one for one in words if one.end() <= phrase[0] and not CUTS.search(raw[one.end() : phrase[0]])]
    behind = [one for one in words if one.start() >= phrase[1] and not CUTS.search(raw[phrase[1] : one.start()])]
    within = [one for one in words if phrase[0] <= one.start() < phrase[1]]
    return [*within, *behind[:between], *before[: -between - 1 : -1]]


def names(word: re.Match[str], one: KnownSlot, raw: str, language: str) -> bool:
    """Whether a word is one of its name, begins with one, or is the noun of its kind: "my bike"."""
    spoken = fold_letters(word[0])
    if len(spoken) < SHORTEST or spoken in load_small_words(language) | load_all_stop_words():
        return False
    parts = [part for part in fold_letters(one.object).split() if len(part) >= SHORTEST and not part.isdigit()]
    # "האייפון": the article is written onto the word.
    if spoken in parts or (language == HEBREW and spoken[1:] in parts):
        return True
    if language == "de" and any(len(part) >= LEAST_BEGUN and spoken.startswith(part) for part in parts):
        return True
    noun = find_known_noun([word[0]], language)
    before = WORD.findall(raw[: word.start()])[-1:]
    is_own = any(fold_letters(mine) in load_words(language, "my") for mine in before)
    relation = "phone" if one.relation == NUMBER else one.relation
    return noun is not None and noun[1] == relation and (is_own or one.relation in ANIMALS | PURSUITS)
