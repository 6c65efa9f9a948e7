"""Where somebody works, lives, studies and goes, behind a phrase: "my shift at Lidl", "mon T2 à Lyon"."""

import re
from collections.abc import Iterator
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames.jobs import matches_job
from memory.claims.frames.places import is_known_place
from memory.claims.presupposed.kinds import PERSON, fold_apart, load_phrases, load_said
from memory.claims.presupposed.phrases import HEAD_LAST, PARTS, VERBS, OwnNoun, SpokenSentence
from memory.claims.presupposed.telling import claim_words
from memory.claims.relations import ABOUT
from memory.language.hebrew import HEBREW
from memory.language.names import capitalises_nouns

RELATIONS: Final = {"work": "works_at", "home": "lives_in", "study": "studies", "trip": ABOUT}
BEHIND: Final = {"work": "work at", "home": "home in", "study": "study in", "trip": "trip to"}
# Words from a noun to what says where: "shift on the tills at Morrisons".
REACH: Final = 6
LONGEST_PLACE: Final = 4
LONGEST_TRIP: Final = 14
SHORTEST_STEM: Final = 4
SHORTEST_HEBREW: Final = 4
MONEY: Final = re.compile(
    r"((?:[€£$]\s?)?\d[\d.,]{0,8}\s?(?:euros?|€|pounds?|quid|£|dollars?|\$|reais|francs?|chf|eur|שקל|שקלים|ש\"ח|₪)?)\s(?:warm\s|kalt\s)?\S{1,5}\s(?:\S{1,3}\s)?$",
    re.IGNORECASE,
)
SPELT: Final = re.compile(r"[€£$₪]|[^\W\d]")


def tell_place(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    for kind in (one for one in noun.kinds if one in RELATIONS):
        span = find_place(sentence, noun, kind)
        if span is None and kind == "study":
            span = find_studied_subject(sentence, noun)
        if span is None or (
            kind == "study" and sentence.tokens[span[1] - 1].plain in load_said(sentence.language, "no study")
        ):
            continue
        end = find_trip_end(sentence, span[1]) if kind == "trip" else max(span[1], noun.end)
        spoken = "" if kind == "trip" else cut_place(sentence, *span)
        yield claim_words(sentence, RELATIONS[kind], spoken, (noun.start, end), place)
        if kind == "home":
            yield from tell_rent(sentence, noun, end, place)
        return


def find_place(sentence: SpokenSentence, noun: OwnNoun, kind: str) -> tuple[int, int] | None:
    """The words of a place behind a noun."""
    preps = load_said(sentence.language, BEHIND[kind])
    if sentence.language != HEBREW and not (is_led(sentence, noun.end, preps) or sentence.says(noun.end, "prep", "of")):
        # "My job interview at Siemens".
        return None
    for at in range(noun.end, min(noun.end + REACH, len(sentence.tokens))):
        token = sentence.tokens[at]
        if token.is_mark or token.has("wh", "i", "rel", "sub", "modal"):
            return None
        if sentence.language == HEBREW:
            is_placed = token.text[0] in preps and len(token.text) >= SHORTEST_HEBREW
            return (at, at + 1) if is_placed else None
        if is_led(sentence, at, preps) and (end := find_place_end(sentence, at + 1, kind)) > at + 1:
            return at + 1, end
        if token.has(*VERBS) or (kind != "work" and at > noun.end):
            return None
    return None


def is_led(sentence: SpokenSentence, at: int, preps: frozenset[str]) -> bool:
    return at < len(sentence.tokens) and sentence.tokens[at].plain.rstrip("'") in preps


def find_place_end(sentence: SpokenSentence, at: int, kind: str) -> int:
    """Where the name of a place ends that begins at ``at``; ``at`` itself where none does."""
    first = at + sentence.says(at, "det", "the")
    end, is_name = first, False
    while end < min(first + LONGEST_PLACE, len(sentence.tokens)) and not sentence.tokens[end].is_mark:
        token = sentence.tokens[end]
        is_within = token.has("of") and end > first and not is_name
        if token.has("time", "month", *PARTS) and not (
            is_within or (token.is_capital and not token.has("month", "i", "my"))
        ):
            break
        is_named = is_name and kind != "study"
        # "In Münster günstiger": where nouns have capitals the first word without one ends it.
        is_named = is_named or (end > first and sentence.has_capitals and capitalises_nouns(sentence.language))
        if is_named and not token.is_capital:
            break
        is_next = end > first and (token.has("det") or (token.has(*VERBS) and not token.is_capital))
        if is_next and not sentence.says(end - 1, "of"):
            break
        is_name = is_name or (token.is_capital and not capitalises_nouns(sentence.language))
        end += 1
    if end == first:
        return at
    if sentence.tokens[end - 1].has("of"):
        end -= 1
    return end if may_be_place(sentence, first, end, kind, is_led=first > at) else at


def may_be_place(sentence: SpokenSentence, first: int, end: int, kind: str, *, is_led: bool) -> bool:
    """A name, or where somebody works or what they study also a noun: "my shift at the hospital"."""
    if kind == "study" and sentence.tokens[first].text[0].isdigit() and sentence.tokens[end - 1].has("month", "time"):
        # "My driving test on the 3rd of December".
        return False
    if kind in {"work", "study"}:
        return is_led or end - first == 1 or sentence.tokens[end - 1].is_capital or kind == "study"
    if sentence.tokens[first].is_capital:
        return True
    return is_known_place(sentence.cut(first, end).casefold()) or is_known_place(sentence.tokens[first].text)


def cut_place(sentence: SpokenSentence, start: int, end: int) -> str:
    said = sentence.cut(start, end)
    if sentence.language == HEBREW:
        return said[1:]
    return sentence.cut(start + 1, end) if sentence.says(start, "det") and end > start + 1 else said


def find_studied_subject(sentence: SpokenSentence, noun: OwnNoun) -> tuple[int, int] | None:
    """ "My biology exam", "my A-level chemistry and maths": what is studied beside what it is studied for."""
    if sentence.language not in HEAD_LAST:
        return None
    if noun.end < len(sentence.tokens) and sentence.cut(noun.first, noun.last).casefold().replace(
        "-", " "
    ) in load_said(sentence.language, "study before"):
        end = noun.end
        while (
            end < len(sentence.tokens)
            and (not sentence.tokens[end].classes or (sentence.says(end, "conj") and end > noun.end))
            and not sentence.is_end(end)
        ):
            end += 1
        return (noun.end, end) if end > noun.end else None
    if joined := find_joined_subject(sentence, noun):
        return joined
    first = noun.start + 1
    unlike = load_said(sentence.language, "no study")
    while first < noun.first and (sentence.tokens[first].plain in unlike or sentence.tokens[first].text[0].isdigit()):
        first += 1
    if first < noun.first:
        return (first, noun.first) if sentence.tokens[noun.first - 1].plain not in unlike else None
    return None


def find_joined_subject(sentence: SpokenSentence, noun: OwnNoun) -> tuple[int, int] | None:
    """ "Meine Anatomieklausur": the word itself, which holds what is studied."""
    is_joined = sentence.language == "de" and noun.last - noun.first == 1
    word = sentence.tokens[noun.first].plain
    endings = tuple(one[1:] for one in load_said("de", "study") if one.startswith("*"))
    is_joined = is_joined and word.endswith(endings) and not word.startswith(tuple(load_said("de", "no study")))
    is_longer = any(word.endswith(one) and len(word) - len(one) >= SHORTEST_STEM for one in endings)
    return (noun.first, noun.last) if is_joined and is_longer else None


def find_trip_end(sentence: SpokenSentence, end: int) -> int:
    """Where the words of a trip end: with when and with whom, so at the end of the sentence."""
    stop = next(
        (at for at in range(end, len(sentence.tokens)) if sentence.is_end(at) and sentence.tokens[at].text != ","),
        len(sentence.tokens),
    )
    return stop if stop - end <= LONGEST_TRIP else end


def tell_rent(sentence: SpokenSentence, noun: OwnNoun, end: int, place: int) -> Iterator[Claim]:
    """ "640 euros pour mon T2 à Villeurbanne"."""
    start = sentence.tokens[noun.start].start
    found = MONEY.search(sentence.raw[max(0, start - 30) : start])
    if found is None or SPELT.search(found[1]) is None:
        return
    begun = max(0, start - 30) + found.start()
    first = next((at for at, one in enumerate(sentence.tokens) if one.end > begun), noun.start)
    yield claim_words(sentence, "rent", found[1].strip(), (first, end), place)


def tell_shifts(sentence: SpokenSentence, place: int) -> Iterator[Claim]:
    """ "A 12 hour shift on the tills at Morrisons": whoever asks what to eat on one works it."""
    known = load_said(sentence.language, "shift")
    for at, token in enumerate(sentence.tokens):
        is_shift = token.plain in known or any(one[0] == "*" and token.plain.endswith(one[1:]) for one in known)
        before = range(max(0, at - REACH), at)
        around = {sentence.tokens[one].plain for one in before}
        # "How much do nurses get for a night shift?" is nobody's.
        is_own = not around.isdisjoint(load_said(sentence.language, "around a shift"))
        if not (is_shift and is_own) or any(sentence.says(one, "my", "his", "genitive") for one in before):
            continue
        span = find_place(sentence, OwnNoun(("work",), at, at, at + 1, at + 1), "work")
        if span is not None and sentence.tokens[span[0] + sentence.says(span[0], "det")].is_capital:
            begun = next((one for one in range(at, max(0, at - REACH), -1) if sentence.says(one - 1, *PARTS)), at)
            yield claim_words(sentence, "works_at", cut_place(sentence, *span), (begun, span[1]), place)


def tell_roles(sentence: SpokenSentence, place: int) -> Iterator[Claim]:
    """ "In my job as a translator", "mes cinq hivers comme moniteur de ski", "for me as a freelance illustrator"."""
    found = load_phrases(sentence.language, "me as").search(fold_apart(sentence.raw))
    if found is not None:
        at = next((at for at, one in enumerate(sentence.tokens) if one.end > found.start()), 0)
        yield from tell_role(sentence, at, place)
    persons = {
        at for noun in sentence.own_nouns if noun.kinds[0].startswith(PERSON) for at in range(noun.start, noun.end)
    }
    for owner in (at for at in range(len(sentence.tokens)) if sentence.says(at, "my", "my behind")):
        # "My son works as a waiter".
        if owner not in persons:
            yield from tell_role(sentence, owner, place)


def tell_role(sentence: SpokenSentence, owner: int, place: int) -> Iterator[Claim]:
    words = load_said(sentence.language, "work as")
    for at in range(owner + 1, min(owner + REACH, len(sentence.tokens))):
        token = sentence.tokens[at]
        if token.is_mark or token.has("wh", "i", "rel"):
            return
        size = next(
            (size for size in (2, 1) if sentence.cut(at, min(at + size, len(sentence.tokens))).casefold() in words), 0
        )
        if size and (span := find_trade(sentence, at + size)):
            yield claim_words(sentence, "works_as", sentence.cut(*span), (owner, span[1]), place)
            return


def find_trade(sentence: SpokenSentence, at: int) -> tuple[int, int] | None:
    """Of two words, as "freelance illustrator", the one that names a trade is the first or the second."""
    at += sentence.says(at, "det")
    for end in range(at + 1, min(at + 4, len(sentence.tokens) + 1)):
        token = sentence.tokens[end - 1]
        if token.is_mark or token.has("prep", "conj", "my", "wh"):
            return None
        if token.has("occupation") or matches_job(token.text, sentence.language):
            return at, end
    return None
