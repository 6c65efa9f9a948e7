"""Texts and sentences in which "my" is nobody's: fiction, what is only supposed, and texts to work on."""

from typing import Final

from memory.claims.clauses.cutting import cut_clauses
from memory.claims.lexicon import MARK
from memory.claims.presupposed.kinds import load_phrases, load_said
from memory.claims.presupposed.phrases import OwnNoun, SpokenSentence
from memory.claims.requests import is_forget_order
from memory.claims.voices.others import gives_parts, quotes_after_colon
from memory.guard import find_secret
from memory.guard.annotation import Sentence, Span
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, PARTICLES, is_hebrew

# Words between a preposition and "my": "for all my plants", "an die meine".
REACH: Final = 2
COLON: Final = ":"
# "Das will ich meiner Oma schreiben": German says so without a preposition.
DATIVE: Final = ("er", "em")


def is_fiction(text: str, language: str) -> bool:
    return load_phrases(language, "fiction").search(fold_letters(text)) is not None


def is_work(text: str, language: str) -> bool:
    return load_phrases(language, "text work").search(fold_letters(text)) is not None


def is_closed(raw: str) -> bool:
    """What holds a secret or is to be forgotten: nothing of it is kept."""
    return is_forget_order(raw) or find_secret(raw) is not None


def is_supposed(sentence: Sentence) -> bool:
    """ "If I had a dog"; of "if my ficus drops its leaves" the ficus is there all the same."""
    if sentence.has("wish", "suppose", MARK + "irony") or is_of_others(sentence):
        return True
    mine = {at for at, _ in sentence.spans(MARK + "my", "mine")}
    return any(mine.isdisjoint(range(*span)) and not asks_which(sentence, span) for span in sentence.spans("if i"))


def asks_which(sentence: Sentence, span: Span) -> bool:
    """ "אילו" is both "if" and "which"."""
    is_word = span == (0, 1) and sentence.is_question and is_hebrew(sentence.words[0])
    return is_word and load_said(HEBREW, "had been").isdisjoint(sentence.words)


def is_of_others(sentence: Sentence) -> bool:
    return gives_parts(sentence) or quotes_after_colon(sentence)


def find_opinion(sentence: Sentence) -> int:
    """Where the words begin that are somebody else's: of "my mate Dave reckons I'm ill" Dave alone is one's own."""
    places = [] if sentence.is_question else [at for at, _ in sentence.spans(MARK + "opines")]
    return cut_clauses(sentence).starts[min(places)] if places else len(sentence.raw)


def is_for_whom(sentence: SpokenSentence, noun: OwnNoun, start: int) -> bool:
    """Whether a phrase says for whom or about what a text is to be, before the text itself."""
    if any(one.text == COLON for one in sentence.tokens[: noun.start]):
        return False
    preps = load_said(sentence.language, "for whom")
    if sentence.language == HEBREW:
        first = sentence.tokens[start]
        return first.text[:1] in PARTICLES or (start > 0 and sentence.tokens[start - 1].plain in preps)
    if sentence.language == "de" and sentence.tokens[noun.start].plain.endswith(DATIVE):
        return True
    before = sentence.tokens[max(0, start - REACH) : start]
    return any(one.plain in preps for one in before)
