"""What somebody who heals told the person to do or to leave: "l'allergologue dit que je dois éviter les noix".

Another voice says it, so no clause of it is the person's own claim; yet it binds them more than most of what they say
of themselves. Of 14 such turns in seven languages one was kept before.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.claims.constraints import find_constraint
from memory.claims.lexicon import MARK, load_claim_words, load_small_words
from memory.guard.annotation import Sentence, annotate_text, find_entries
from memory.guard.lexicon import FOREIGN, Lexicon, LexiconEntry, build_entries, read_subject_entries
from memory.language.hebrew import HEBREW_THE, is_hebrew
from memory.language.loader import SHARED, read_entries, read_sections
from memory.language.periods import WEEKDAYS

SUBJECT: Final = "counsel"
# What says that another voice speaks, or is cited.
VOICES: Final = ("someone says", "citing", MARK + "opines", MARK + "quoted", MARK + "reported", MARK + "episode")
# What is no advice that lasts: an errand, a supposition, what was so once.
NO_COUNSEL: Final = ("errand", "if i", "wish", "suppose", "text work", MARK + "frame", MARK + "irony", MARK + "machine")
OWNERS: Final = (MARK + "my", MARK + "the", "my")
# Words between "my" and who it is: "my new heart consultant".
OWNED_WITHIN: Final = 2
LEAST_WORDS: Final = 4


def tells_counsel(sentence: Sentence) -> bool:
    """Whether a sentence tells what the person's own doctor, or their animal's, bids or forbids."""
    if sentence.is_question or len(sentence.words) < LEAST_WORDS or not sentence.has(*VOICES):
        return False
    if sentence.has(*NO_COUNSEL):
        return False
    found = find_entries(sentence.words, load_counsel_words())
    is_told = any(kind == "directive" for kind, _, _ in found)
    healers = [span[0] for kind, _, span in found if kind == "healer"]
    return is_told and any(is_own(sentence, at) for at in healers) and binds(sentence)


def names_healer(text: str) -> bool:
    """ "Endocrinologist says we go up to 100"."""
    return any(map(has_healer, annotate_text(text, load_claim_words()).sentences))


def has_healer(sentence: Sentence) -> bool:
    return any(kind == "healer" for kind, _, _ in find_entries(sentence.words, load_counsel_words()))


def is_own(sentence: Sentence, place: int) -> bool:
    """ "My doctor", "la alergóloga", "הרופאה"; neither "a doctor on TV" nor "doctors"."""
    word = sentence.words[place]
    if is_hebrew(word):
        return word.startswith(HEBREW_THE) or sentence.has_after(place, OWNED_WITHIN, *OWNERS)
    return sentence.has_before(place, OWNED_WITHIN, *OWNERS) or (
        place == 0 and not word.endswith("s") and sentence.has("me")
    )


def binds(sentence: Sentence) -> bool:
    """Whether it touches what somebody eats, does or takes; without a word of that, the person, on no certain day."""
    if find_constraint(sentence.raw):
        return True
    verbs = (sentence.words[at] for at, _ in sentence.spans(MARK + "verb ending"))
    speaks = sentence.has("me", MARK + "i", MARK + "self", MARK + "my") or any(
        word not in load_small_words() for word in verbs
    )
    # "He says I must come back on Tuesday" is an appointment.
    return speaks and WEEKDAYS.isdisjoint(sentence.words)


@cache
def load_counsel_words() -> Lexicon:
    return Lexicon(read_counsel_entries())


def read_counsel_entries() -> Iterator[LexiconEntry]:
    yield from read_subject_entries(SUBJECT)
    for section in read_sections(SHARED, SUBJECT):
        yield from build_entries(section, FOREIGN, read_entries(SHARED, SUBJECT, section))
