"""Makes the claim of an opening, and the statement that stands for it, in the words of the person."""

import re
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim, ClaimTense
from memory.claims.clauses.cutting import HEBREW_AND_I, ClauseOpening, ClauseTokens, cut_clauses
from memory.claims.clauses.objects import find_object, find_object_before, find_time
from memory.claims.clauses.rejection import has_within
from memory.claims.frames.numerals import read_spoken
from memory.claims.frames.remembering import put_verb_second
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import load_small_words
from memory.claims.slots.templates import UNABLE
from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.spelling import fold_letters
from memory.language.loader import collect_entries, list_codes

# Characters of a statement: what is longer was not said in one breath.
LONGEST: Final = 300
# Relations that name one slot: "I report to Tom", "my boss is Tom".
SAME: Final = {"reports_to": "boss"}
# A Hebrew word of two letters has no "that" written onto it.
SHORTEST_WRITTEN_ON: Final = 2
# What laughter left when it was blanked: "en el baño , Mostaza".
GAP: Final = re.compile(r"\s(?=[,.])")
# Marks at the end of a statement; that of "O-" is part of the value.
TAIL: Final = re.compile(r"(?:[ ,;:–—.!?¡¿]|(?<!\w)-)+$")


def build_claim(
    sentence: Sentence,
    tokens: ClauseTokens,
    opening: ClauseOpening,
    end: int,
    statement: str,
    span: tuple[int, int],
    whole: AnnotatedText,
) -> Claim:
    """The claim of a clause that opens with the person's own subject, in the words of ``statement``."""
    if opening.is_left:
        stop = opening.phrase if opening.phrase > opening.start else opening.end
        first, last = find_object_before(sentence, opening.start, max(opening.start + 1, stop))
    else:
        first, last = find_object(sentence, min(opening.end, end), end)
    time = find_time(sentence, last, end)
    tense = find_tense(sentence, tokens, opening, end)
    # "I can't stand coriander" denies nothing: the words of the relation say it.
    is_unable = opening.relation in UNABLE and opening.phrase >= 0
    said = opening.phrase if is_unable else max(opening.end, opening.start + 1)
    negated = has_within(sentence, opening.start, said, MARK + "not")
    told = cut_words(sentence, tokens, first, last).casefold()
    return Claim(
        subject=opening.subject,
        relation=name_relation(opening, told, find_language(whole)),
        object=told,
        statement=statement,
        span=span,
        category=opening.category or opening.people,
        polarity=not (negated or tense == "over"),
        hedged=not opening.category and sentence.has(MARK + "hedge"),
        tense=tense,
        time=find_reach(sentence)
        if opening.category == "goals"
        else cut_words(sentence, tokens, *time)
        if time
        else "",
        lang=find_language(whole),
    )


def find_tense(sentence: Sentence, tokens: ClauseTokens, opening: ClauseOpening, end: int) -> ClaimTense:
    if is_said_over(sentence, tokens, opening, end):
        return "over"
    return tell_tense(sentence, opening.start, end)


def tell_tense(sentence: Sentence, start: int, end: int) -> ClaimTense:
    """ "new" where these words announce a change, else "present"."""
    return "new" if has_within(sentence, start, end, MARK + "change") else "present"


def is_said_over(sentence: Sentence, tokens: ClauseTokens, opening: ClauseOpening, end: int) -> bool:
    """Whether the words say that it is over: "hab ein Rad gekauft, endlich keine Linie 3 mehr" does not of the bike.

    Another clause speaks of it if it names nothing of its own: "I smoked, but not any more".
    """
    low, high = find_segment(tokens, max(opening.end - 1, opening.start))
    for at, after in sentence.spans(MARK + "over"):
        # "He ended up in hospital".
        if not opening.start <= at < end or any(one <= at < stop for one, stop in sentence.spans(MARK + "apart")):
            continue
        first, last = find_segment(tokens, at)
        if (first, last) == (low, high) or not names_something(sentence, first, last, (at, after)):
            return True
    return False


def find_segment(tokens: ClauseTokens, place: int) -> tuple[int, int]:
    """The words between two marks that a word stands among."""
    for segment in tokens.segments:
        if segment[0][0] <= place < segment[-1][1]:
            return segment[0][0], segment[-1][1]
    return place, place + 1


def names_something(sentence: Sentence, start: int, end: int, over: tuple[int, int]) -> bool:
    return any(
        at in sentence.capitals or sentence.words[at].isdigit()
        for at in range(start + 1, end)
        if not over[0] <= at < over[1]
    )


def name_relation(opening: ClauseOpening, told: str, language: str) -> str:
    """ "The standup moved to ten" tells an hour and no home, "nos mudamos a Dos Hermanas" a town."""
    words = fold_letters(told).split()
    number = read_spoken(words, language or "en") if opening.relation == "lives_in" else None
    is_hour = number is not None and set(words[number[1] : number[1] + 1]) <= load_small_words(language or "en")
    return "time" if is_hour else SAME.get(opening.relation, opening.relation)


def find_reach(sentence: Sentence) -> str:
    """How far a goal reaches: "by June", "in ten years"."""
    return "far" if sentence.has("far") else "near" if sentence.has("near") else ""


def find_language(whole: AnnotatedText) -> str:
    return next((code for code in list_codes() if code in (whole.languages or ())), "")


def cut_words(sentence: Sentence, tokens: ClauseTokens, start: int, end: int) -> str:
    if not start < end <= len(tokens.ends):
        return ""
    return sentence.raw[tokens.starts[start] : tokens.ends[end - 1]].replace(TITLE_DOT, ".")


def has_written_on(sentence: Sentence, place: int) -> bool:
    """Whether "and" or "that" is written onto the word, as Hebrew does: ואני, שאני."""
    word = sentence.words[place]
    if word[0] == "ש" and len(word) > SHORTEST_WRITTEN_ON:
        return sentence.has_at(place, MARK + "i", MARK + "have", MARK + "not", MARK + "third")
    return HEBREW_AND_I.fullmatch(word) is not None


def word_statement(sentence: Sentence, tokens: ClauseTokens, start: int, end: int) -> str:
    """The words from one place up to another, as they were written, as a sentence."""
    if start >= len(tokens.starts) or start >= end:
        return ""
    first = tokens.starts[start] + (1 if has_written_on(sentence, start) else 0)
    until = tokens.starts[end] if end < len(tokens.starts) else len(sentence.raw)
    said = " ".join(sentence.raw[first:until].replace(TITLE_DOT, ".").split())
    text = TAIL.sub("", GAP.sub("", said))
    if start > 0 and sentence.words[start - 1] in list_order_words("verb behind"):
        text = move_verb(text, 1 if sentence.has_at(start, MARK + "i", MARK + "third") else 2)
    return write_sentence(text)


def write_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def word_whole(sentence: Sentence) -> str:
    """All of a sentence as it was written."""
    return word_statement(sentence, cut_clauses(sentence), 0, len(sentence.words))


def word_ordered(what: str, clause: str) -> str:
    """What is ordered to be remembered: "dass ich Jazz mag" as "Ich mag Jazz.", other clauses as they are.

    A longer clause of somebody else's stays as well: where its subject ends nobody knows.
    """
    if not clause or clause.split()[0].casefold() not in list_order_words("verb behind"):
        return what
    turned = put_verb_second(what, 0).strip()
    if turned == what and not list_order_words("second verb behind").intersection(what.split()):
        turned = move_verb(what, 1 if what.split()[0].casefold() in list_order_words("subject alone") else 2)
    return what if turned == what else write_sentence(turned)


@cache
def list_order_words(section: str) -> frozenset[str]:
    """Words that tell where a verb stands: behind "dass" last, behind "und" a second one; "ich" is all of a subject."""
    return frozenset(collect_entries("slots", section))


def move_verb(text: str, place: int) -> str:
    """A German clause behind "dass" as a sentence: "ich keine Milch vertrage" is "ich vertrage keine Milch"."""
    words = text.split()
    if len(words) <= place + 1 or not words[-1][0].islower() or any("," in word for word in words):
        return text
    return " ".join([*words[:place], words[-1], *words[place:-1]])


def claim_remark(sentence: Sentence, whole: AnnotatedText, place: int) -> Claim:
    statement = word_whole(sentence)[:LONGEST]
    span = (place, place + len(sentence.raw))
    return Claim(SPEAKER, ABOUT, "", statement, span, lang=find_language(whole), is_remark=True)
