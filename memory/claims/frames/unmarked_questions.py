"""Questions without a mark that are known by the order of their words: "in what city is my mother", "i'm vegan what can
i cook".

Their verb stands before its subject. Where a language leaves the subject out, the words themselves must decide:
`memory.claims.subjectless_questions`. That one runs later and on claims alone, since it needs the clauses of a text
without fillers; this one also serves the hot path.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from memory.claims.frames.clauses import VERBS
from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.tokens import HotToken, read_hot_tokens
from memory.claims.frames.words import HotWords, load_hot_words
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_THAT
from memory.language.loader import read_entries

LINE: Final = re.compile(r"[^\n]++")
CLOSED: Final = re.compile(r"[.!?…:;,\"'”’»)\]]\s*$")
ENGLISH: Final = "en"
ASKS: Final = ("asks", "opens asking")
SUBJECTS: Final = ("i", "my", "his", "he", "she", "they", "it", "there")
NO_NOUN: Final = (*SUBJECTS, *VERBS, "clitic", "thou", "conj", "but", "sub", "if", "rel", "that", "prep", "not")
# Behind these a question that begins without a mark depends: "I know what can I do", "nor can I".
DEPENDS: Final = (*NO_NOUN, "wh", "det", "to")
# Words between what asks and its verb: "in what German city is".
MOST_BETWEEN: Final = 3
# Words of a Hebrew question, whose order is that of what is told: a longer one tells more beside.
MOST_OF_HEBREW: Final = 5


@lru_cache(maxsize=512)
def mark_questions(text: str) -> str:
    """The text with a mark behind each line that asks at its end and has none."""
    return LINE.sub(lambda found: mark_line(found[0]), text)


def mark_line(line: str) -> str:
    if CLOSED.search(line) or not line.strip():
        return line
    words = load_hot_words(find_turn_languages(line)[0])
    tokens = read_hot_tokens(line, words)
    start = find_last_start(tokens, words)
    if is_question(tokens, start, words):
        behind = next((at for at in range(start + 1, len(tokens) - 1) if tells_behind(tokens, at, words)), None)
        return f"{line.rstrip()}?" if behind is None else f"{line[: tokens[behind].start]}?{line[tokens[behind].end :]}"
    for at in range(start + 2, len(tokens) - 1):
        if runs_on_asking(tokens, at, words):
            return f"{line[: tokens[at - 1].end]}. {line[tokens[at].start :].rstrip()}?"
    return line


def find_last_start(tokens: Sequence[HotToken], words: HotWords) -> int:
    """Where the last sentence begins, behind what greets or reacts."""
    at = max((at + 1 for at, token in enumerate(tokens) if token.is_mark and token.text[0] in ".!?…"), default=0)
    while at < len(tokens) and (tokens[at].is_mark or f" {tokens[at].text} " in words.phrases["reacts"]):
        at += 1
    return at


def is_question(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    is_led = at < len(tokens) and tokens[at].has("prep") and not is_asking(tokens[at], words)
    asks = at + is_led
    if asks >= len(tokens) - 1:
        return False
    if is_asking(tokens[asks], words):
        return asks_for(tokens, asks, words, is_led=is_led)
    return not is_led and is_put_first(tokens, at, words)


def is_asking(token: HotToken, words: HotWords) -> bool:
    return token.has("wh") or token.plain in load_asking(words.language)


@cache
def load_asking(language: str) -> frozenset[str]:
    return frozenset(fold_letters(one) for section in ASKS for one in read_entries(language, "intents", section))


def asks_for(tokens: Sequence[HotToken], at: int, words: HotWords, *, is_led: bool) -> bool:
    """ "In what city is my mother", "what does my brother do"; "what I need is ..." tells."""
    if words.language == HEBREW:
        # "מה שאני צריך": what depends has its joint written on the next word.
        return len(tokens) <= MOST_OF_HEBREW and not tokens[at + 1].text.startswith(HEBREW_THAT)
    # "What city is my mother in".
    is_led = is_led or tokens[-1].has("prep")
    for verb in range(at + 1, min(at + 2 + MOST_BETWEEN, len(tokens) - 1)):
        if tokens[verb].has(*VERBS) and tokens[verb + 1].has(*SUBJECTS):
            is_plain = verb == at + 1 or is_led or tokens[verb].has("modal")
            return is_plain and (words.language == ENGLISH or is_last_verb(tokens, verb))
        if tokens[verb].is_mark or tokens[verb].has(*NO_NOUN):
            return False
    return False


def is_last_verb(tokens: Sequence[HotToken], verb: int) -> bool:
    """ "Dove lavora mio fratello"; "dove lavora mio fratello fa freddo" tells."""
    return not any(token.has("verb", "be 1", "be 3") or token.is_mark for token in tokens[verb + 2 :])


def is_put_first(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "Does my boss know ...", "can I eat ...", "est-ce que ..."; "do my shopping there" has no subject."""
    first, behind = tokens[at : at + 2]
    if first.has("asks first"):
        return behind.has(*SUBJECTS, "det", "that", "rel")
    # "Muss ich seit Mai schlucken" tells: elsewhere what is spoken of may be left out before the verb.
    is_english = words.language == ENGLISH
    return (
        is_english and first.has(*VERBS) and behind.has("i") and f" {first.text} {behind.text} " in words.phrases["ask"]
    )


def tells_behind(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """Whether a comma parts a question from what is told behind it: "how do I get Kai to talk, he's 13"."""
    if tokens[at].text != "," or not tokens[at + 1].has("i", "my", "he", "she", "it", "they"):
        return False
    is_clause = any(token.has(*VERBS) for token in tokens[at + 2 : at + 2 + MOST_BETWEEN])
    return is_clause and not is_put_first(tokens, at + 1, words)


def runs_on_asking(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "I'm vegan what can I cook", "ran out of it again can a pharmacy give me some": only a modal tells it apart."""
    before, asks = tokens[at - 1], is_asking(tokens[at], words)
    verb = at + asks
    if words.language != ENGLISH or before.is_mark or before.has(*DEPENDS) or verb >= len(tokens) - 1:
        return False
    is_modal = tokens[verb].has("asks first") and tokens[verb].has("modal")
    has_wh = any(is_asking(token, words) for token in tokens[max(0, at - 2) : at])
    behind = tokens[verb + 1]
    return is_modal and not has_wh and (behind.has("i") or (behind.has("det") and (asks or before.has("adv"))))
