"""The end of a work or a home that nobody names: "I was laid off", "he dejado el trabajo", "bin zuhause ausgezogen".

Clauses took "I lost my job" for an illness and "I quit my job" for a diet, and most of them for nothing; the employer
that was told before still held.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.dates.agenda import list_frame_words
from memory.claims.few_words.brief import BriefSentence
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT
from memory.claims.replies.answering import PLAIN, spell_out
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import load_phrases, load_small_words, load_words
from memory.claims.voices.suppositions import is_of_calendar
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_text
from memory.language.periods import is_time_word

WORKS_AT, LIVES_IN = "works_at", "lives_in"
# What the reader of clauses makes of these words.
REPLACED: Final = frozenset({ABOUT, "diet", "has_condition", "has", "member_of", "is"})
CLAUSE: Final = ","
YEAR: Final = re.compile(r"(?:19|20)\d\d")


def add_dismissal(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence, or that the person's work has ended; "I quit my job at Aldi" says itself where."""
    employers = [claim for claim in claims if claim.relation == WORKS_AT and claim.object]
    ends_known = any(not claim.polarity for claim in employers)
    # "I quit my job and started at Lidl" is followed by what takes its place.
    begins = any(claim.polarity for claim in employers)
    is_story = one.sentence.has(MARK + "past", MARK + "episode", "if i") or YEAR.search(one.raw) is not None
    # "I was laid off, what now?" asks behind what it tells.
    asks = one.sentence.is_question and CLAUSE not in one.raw
    if asks or is_story or begins or (ends_known and not ends_bare_work(claims)):
        return claims
    employer, spoken = drop_employer(one.raw, one.known)
    language = next((code for code in one.languages if tells_dismissal(spoken, code)), None)
    if language is None:
        return claims
    kept = [claim for claim in claims if claim.relation not in REPLACED | {WORKS_AT} or claim.tense == "new"]
    return [*kept, replace(one.make_claim(WORKS_AT, employer, language), polarity=False, tense="over")]


def add_departure(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence, or that the person lives no longer where they did: "bin zuhause ausgezogen"."""
    has_home = any(claim.relation == LIVES_IN and claim.subject == SPEAKER for claim in claims)
    if has_home or one.sentence.is_question or one.sentence.has(MARK + "plan", MARK + "not", "if i"):
        return claims
    for language in one.languages:
        if load_phrases(language, "lives no more").search(one.raw) is not None:
            # "Me fui de casa" leaves no employer.
            kept = [told for told in claims if told.relation != ABOUT and (told.relation != WORKS_AT or told.polarity)]
            return [*kept, replace(one.make_claim(LIVES_IN, "", language), polarity=False, tense="over")]
    return claims


def drop_employer(spoken: str, known: Sequence[KnownSlot]) -> tuple[str, str]:
    """ "Mir wurde bei Aldi gekündigt": who was told to be the employer, and the words without them."""
    for one in known:
        is_employer = (one.subject, one.relation) == (SPEAKER, WORKS_AT) and bool(one.object)
        if is_employer and one.object.casefold() in spoken.casefold():
            rest = re.sub(rf"\s\w{{1,5}}\s{re.escape(one.object)}(?!\w)", "", spoken, count=1, flags=re.IGNORECASE)
            if rest != spoken:
                return one.object, rest
    return "", spoken


def ends_bare_work(claims: Sequence[Claim]) -> bool:
    """ "Dejé mi trabajo" names no employer: the work itself was read as one."""
    over = [one for one in claims if one.relation == WORKS_AT and not one.polarity]
    return all(one.object in load_words(one.lang or "en", "of work") for one in over)


def tells_dismissal(spoken: str, language: str) -> bool:
    """ "Hab heut gekündigt": a word of when may stand within."""
    if holds_phrase(spoken, language):
        return True
    bare = drop_when(spoken, language)
    return bare != spoken and holds_phrase(bare, language)


def drop_when(spoken: str, language: str) -> str:
    light = list_frame_words(language, "now", "adv")
    words = spoken.split(" ")
    timed = [is_of_calendar(one, language) for one in words]
    # "Bin seit Mai in Rente".
    led = list_frame_words(language, "since", "prep")
    since = [fold_letters(one) in led and behind for one, behind in zip(words, [*timed[1:], False], strict=True)]
    told = zip(words[:-1], timed[:-1], since[:-1], strict=True)
    kept = [one for one, is_when, leads in told if not (is_when or leads or fold_letters(one) in light)]
    return " ".join([*kept, words[-1]])


def holds_phrase(spoken: str, language: str) -> bool:
    text = spell_out(spoken)
    # Most texts hold none: word by word at every place it took .24 ms for seven languages, so .04.
    held = (phrase for phrase in list_phrases(language) if phrase in text)
    places = ((phrase, match.start()) for phrase in held for match in re.finditer(f"(?={re.escape(phrase)})", text))
    return any(is_meant(spoken, text, phrase, start, language) for phrase, start in places)


def is_meant(spoken: str, text: str, phrase: str, start: int, language: str) -> bool:
    """Whether a phrase at a place of the spelled-out text is neither only almost so nor of something else."""
    before = text[:start].split()
    if before and before[-1] in load_words(language, "almost"):
        return False
    last = len(before) + len(phrase.split()) - 1
    return ends_there(spoken[next(islice(PLAIN.finditer(spoken), last, None)).end() :], language)


def ends_there(behind: str, language: str) -> bool:
    """Whether nothing follows that is ended instead: "I quit smoking"; "I quit, last week" and "I quit yesterday"."""
    following = PLAIN.match(behind.lstrip())
    if following is None or not behind.startswith(" "):
        return True
    word = following.group()
    return is_time_word(fold_text(word)) or fold_letters(word) in load_small_words(language)


@cache
def list_phrases(language: str) -> tuple[str, ...]:
    """The phrases that end a work, spelled out as `spell_out` spells the text."""
    return tuple(spell_out(phrase) for phrase in sorted(load_words(language, "works no more")))
