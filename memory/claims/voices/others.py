"""What a text says in another voice than the person's own: code, quotations, parts played, jokes, texts to work on."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Final

from memory.claims.inner_dots import TITLE_DOT
from memory.claims.judgement.telling import Passage, join_passages, rate_telling
from memory.claims.lexicon import MARK
from memory.guard import speech
from memory.guard.annotation import ADDRESS_MARK, AnnotatedText, Sentence
from memory.language.hebrew import HEBREW_AND, HEBREW_THE
from memory.language.loader import collect_entries
from memory.language.text import blank_match

# Words that are meant as often as not ("what fun", "queen of the house"), and how likely a short turn that holds one
# must tell of the person: of 6 own turns that were dropped for them it brings back 3, of 12 silent ones none.
DOUBTED: Final = ("text work", "sarcasm", "absurd", "joke form")
DOUBTED_LEAST: Final = 0.85
LONGEST_DOUBTED: Final = 300
# What an order for a text must reach for what is told beside it to be the person's own, or where that stands before it,
# and what that itself must.
ORDER_LEAST: Final = 0.5
ORDER_BEHIND_LEAST: Final = 0.05
BESIDE_LEAST: Final = 0.8
# Words between the part of the assistant and the person's.
PARTS_WITHIN: Final = 6
MOST_WORDS_OF_NAME: Final = 3
BEFORE_NAME: Final = 30
CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{0,200}`", re.DOTALL)
QUOTED_LINE: Final = re.compile(r"^[^\S\n]{0,8}>[^\n]*$", re.MULTILINE)
QUOTED: Final = re.compile(
    r"\"[^\"\n]{0,500}\"|“[^”\n]{0,500}”|„[^“”\n]{0,500}[“”]|«[^»\n]{0,500}»|‘[^’\n]{3,500}’(?!\w)"
    # "'I've three kids'": an apostrophe within a word closes nothing.
    r"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){3,500}'(?!\w)"
)
# What was taken out of a text, here or before it came: "[redacted: wifi password]", "[removed]", "████".
TAKEN_OUT: Final = re.compile(
    r"\[(?:redacted|removed|hidden|masked|deleted|censored)(?:: [a-z ]{1,31})?\]|(?:\*{4,}|█{4,}|•{4,})(?!\w)",
    re.IGNORECASE,
)
# Marks of code and logs outside of a fence; speech has none of them.
LINE_OF_CODE: Final = re.compile(
    r"[{}]|=>|==|\w\(\"|;\s*(?:$|//)|\bconst\b|\bSELECT\b|\bdef \w|\w=\w|</\w|\bNULL\b|\bTraceback\b"
    r"|\blet \w{1,40} =|^\s{0,8}(?:Error|ERROR|WARN|INFO)\b"
)


def mask_other_voices(text: str) -> str:
    """The text with blanks for code, quotations and what was taken out, so that places in it stay what they are."""
    if LINE_OF_CODE.search(text):
        text = "\n".join(" " * len(line) if LINE_OF_CODE.search(line) else line for line in text.split("\n"))
    for pattern in (CODE, QUOTED_LINE):
        text = pattern.sub(blank_match, text)
    text = QUOTED.sub(blank_quotation, text)
    if TAKEN_OUT.search(text):
        text = mask_taken_out(text)
    return mask_inner_dots(text)


def blank_quotation(found: re.Match[str]) -> str:
    """A quotation is somebody else's, but a name is one in quotation marks too: "die neue Kita, die 'Wühlmäuse'"."""
    inner = found[0][1:-1]
    words = inner.split()
    is_titled = 0 < len(words) <= MOST_WORDS_OF_NAME and all(word[0].isupper() and word.isalpha() for word in words)
    before = found.string[max(0, found.start() - BEFORE_NAME) : found.start()].split()
    # Behind what is named: a comma, an article, a noun. "How do you say 'Umzugskarton'" names nothing.
    is_named = bool(before) and (before[-1].endswith(",") or before[-1][0].isupper() or before[-1] in load_articles())
    return f" {inner} " if is_titled and is_named and len(inner) > 1 else blank_match(found)


@cache
def load_articles() -> frozenset[str]:
    return frozenset(collect_entries("slots", "article"))


def mask_inner_dots(text: str) -> str:
    """The text with another mark for each dot of a title or a day, which ends no sentence."""
    text = load_titles().sub(lambda found: found[0][:-1] + TITLE_DOT, text)
    return load_dates().sub(lambda found: found[0].replace(".", TITLE_DOT), text)


def mask_taken_out(text: str) -> str:
    """A clause whose value was taken out tells nothing: of "my PIN is [removed]" the rest would be a fact."""
    cuts = [found.span() for found in load_cuts().finditer(text)]
    starts, ends = [start for start, _ in cuts], [end for _, end in cuts]
    parts, done = [], 0
    for found in TAKEN_OUT.finditer(text):
        before, after = bisect_right(ends, found.start()), bisect_left(starts, found.end())
        start = max(done, ends[before - 1] if before else 0)
        stop = starts[after] if after < len(starts) else len(text)
        parts += [text[done:start], " " * (stop - start)]
        done = stop
    return "".join([*parts, text[done:]])


@cache
def load_cuts() -> re.Pattern[str]:
    """Where a clause ends, in whatever language."""
    joints = "|".join(re.escape(one) for one in collect_entries("claims", "joint") if one.isalpha())
    return re.compile(rf"[,;.!?…\n]|(?<!\w)(?:{joints})(?!\w)|(?<!\w){HEBREW_AND}(?=[א-ת])", re.IGNORECASE)


@cache
def load_titles() -> re.Pattern[str]:
    """Titles written with a dot, which ends no sentence: Dr., Mrs., Sra."""
    titles = "|".join(re.escape(title) for title in collect_entries("claims", "title"))
    # "Ma femme est prof. J'habite à Lyon": whoever speaks bears no title.
    own = "|".join(re.escape(one) for kind in ("i", "my") for one in collect_entries("slots", kind))
    return re.compile(rf"(?<!\w)(?:{titles})\.(?=\s(?!(?:{own})(?!\w))\w)", re.IGNORECASE)


@cache
def load_dates() -> re.Pattern[str]:
    """A day with a dot before its month, which ends no sentence either: "am 11. Oktober", "am 1.12. kommt sie".

    Nor does the dot of a number that says which one it is: "im 4. Semester", "die 8. Klasse".
    """
    months = (name for number in range(1, 13) for name in collect_entries("periods", f"month {number}"))
    # The lists are without accents.
    written = "|".join(re.escape(name).replace("a", "[aä]") for name in months)
    named = rf"\d{{1,2}}\.(?=\s(?i:{written})(?!\w))"
    # "Hat am 5. Drillinge bekommen": behind "am" a number is a day, unless what follows begins a sentence.
    begins = "|".join(map(re.escape, collect_entries("periods", "begins a sentence")))
    before = "|".join(rf"(?<=\b{word} )" for word in collect_entries("periods", "before a dotted day"))
    alone = rf"(?i:{before})\d{{1,2}}\.(?=\s\w)(?!\s(?i:{begins})\b)"
    # "Dr. Lehmann, Tel. 0421 555123".
    labels = "|".join(
        re.escape(one).replace("e", "[eé]") for one in collect_entries("periods", "before a dotted number")
    )
    numbered = rf"(?i:{labels})\.(?=\s?[+(\d])"
    return re.compile(rf"(?<![\w.])(?:{named}|{numbered}|\d{{1,2}}\.\d{{1,2}}\.(?=\s[a-zà-ÿ])|{alone})")


def speaks_for_others(reading: AnnotatedText) -> bool:
    """Whether the words of the whole text may be somebody else's: a text to work on, a part to play, a joke."""
    if speech.is_exchange(reading):
        return True
    if not any(has_frame(sentence) for sentence in reading.own_sentences):
        return False
    if len(reading.text) > LONGEST_DOUBTED:
        return True
    if any(map(has_sure_frame, reading.own_sentences)):
        return not tells_beside(reading.own_sentences)
    is_work = all(not has_frame(one) or one.has("text work") for one in reading.own_sentences)
    if is_work and tells_beside(reading.own_sentences):
        # "Hi I'm Sam, plumber from Hull. Can you write me an invoice template".
        return False
    passages = [Passage((sentence,)) for sentence in reading.own_sentences]
    return rate_telling(join_passages(passages)) < DOUBTED_LEAST


def tells_beside(sentences: Sequence[Sentence]) -> bool:
    """ "My new dentist is Dr Ash. Write me a note to her": who asks for a text of their own life tells it beside.

    "Translate this. I live in Hull" does not: a text to work on mostly stands behind its order, which is rated .01 to
    .25. The order of the first is rated .07, and what is told stands before it.
    """
    orders = [one for one in sentences if has_frame(one)]
    told = [one for one in sentences if one not in orders and not one.is_question]
    if any(one.has(MARK + "irony") or gives_parts(one) for one in orders):
        return False
    least = min(rate_telling(Passage((one,))) for one in orders)
    if least < ORDER_LEAST:
        told = [one for one in told if sentences.index(one) < sentences.index(orders[0])]
    is_own = least >= ORDER_BEHIND_LEAST
    return is_own and any(rate_telling(Passage((one,))) >= BESIDE_LEAST for one in told)


def has_frame(sentence: Sentence) -> bool:
    """A story, a part, a translation: what such a request holds is not the person's own."""
    return sentence.has(*DOUBTED) or has_sure_frame(sentence)


def has_sure_frame(sentence: Sentence) -> bool:
    return sentence.has(MARK + "frame", MARK + "irony") or gives_parts(sentence)


def gives_parts(sentence: Sentence) -> bool:
    """ "You be the waiter, I'm the customer", "I'm Sherlock and you're Watson": parts are given out."""
    opens = {0, *sentence.breaks, *(after for _, after in sentence.spans(MARK + "joint"))}
    spoken = sentence.spans(MARK + "role you")
    others = [after for at, after in spoken if at in opens and names_part(sentence, after)]
    return any(
        abs(at - after) <= PARTS_WITHIN for at, _ in sentence.spans(MARK + "role i") for after in others if at != after
    )


def names_part(sentence: Sentence, place: int) -> bool:
    """Whether an article or a name follows: a part, and not what somebody is like."""
    is_named = place in sentence.capitals or sentence.has_at(place, MARK + "the", MARK + "article", MARK + "my")
    return place < len(sentence.words) and (is_named or sentence.words[place][0] == HEBREW_THE)


def has_other_voice(sentence: Sentence) -> bool:
    if quotes_after_colon(sentence) or denies_opinion(sentence):
        return True
    if sentence.has("asked", "wish", "suppose") or ADDRESS_MARK in sentence.raw or says_somebody(sentence):
        return True
    # "Dejé de ser vegetariana": behind what ends "de ser" is no "if I were".
    if has_outside(sentence, "if i", MARK + "over"):
        return True
    return any(sentence.has_at(start, "maybe") for start in sentence.sentence_starts)


def says_somebody(sentence: Sentence) -> bool:
    """Of "la dentista me ha dado cita" nobody is quoted."""
    return has_outside(sentence, "someone says", MARK + "apart")


def has_outside(sentence: Sentence, kind: str, covering: str) -> bool:
    """Whether a phrase of one kind begins in none of another."""
    covers = sentence.spans(covering)
    return any(not any(first <= at < last for first, last in covers) for at, _ in sentence.spans(kind))


def has_own_part(sentence: Sentence) -> bool:
    """Whether a stretch of a sentence that orders, or speaks for somebody else, may be the person's own."""
    is_foreign = quotes_after_colon(sentence) or denies_opinion(sentence)
    return ADDRESS_MARK not in sentence.raw and not is_foreign


def denies_opinion(sentence: Sentence) -> bool:
    """ "My boss thinks I'm vegetarian, not true at all"."""
    return sentence.has(MARK + "untrue") and sentence.has(MARK + "opines", "someone says")


def opens_clause(sentence: Sentence, place: int) -> bool:
    return place in sentence.breaks or sentence.has_at(place - 1, MARK + "joint")


def quotes_after_colon(sentence: Sentence) -> bool:
    """ "The customer writes: I live in Hull": what stands behind the mark is not the person's own."""
    words = sentence.words
    # That of an hour opens nothing: "nueva cita a las 10:30".
    colons = (at for at, word in enumerate(words) if word == ":")
    colon = next(
        (at for at in colons if not all(word.isdigit() for word in (words[at - 1], *words[at + 1 : at + 2]))), 0
    )
    # "She: ..." opens what she says, "it's official, they merged us in: my payslip says ..." does not.
    # Of "put it in the past tense: ..." the pronoun is no subject.
    passing = {at for at, _ in sentence.spans(MARK + "third") if not at or opens_clause(sentence, at)}
    quoted = any(at < colon and (at not in passing or after == colon) for at, after in sentence.spans(MARK + "quoted"))
    return quoted and not any(at < colon for at, _ in sentence.spans(MARK + "i", MARK + "remember"))
