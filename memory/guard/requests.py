"""Requests to remember and exercises: what a text wants done with the words that follow."""

import re
from functools import cache
from itertools import chain

from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.lexicon import Lexicon, build_entries
from memory.guard.quotations import is_mostly_quoted
from memory.guard.words import join_words
from memory.language.loader import list_codes, read_entries

# Words that may stand before the request: "please", "und", a name.
FURTHEST = 2
READ = 12
# Words behind the request that say something.
LEAST_TOLD = 2
# What is wanted of a language model and tells nothing: words to work on, a part to play, a text of some genre.
POLITE = r"(?:(?:please|por favor|s'il te plaît|stp|bitte|per favore|בבקשה|ok|now|and)[,\s]{1,3})?"
TASK = re.compile(rf"^[\W_]{{0,3}}{POLITE}(?:{join_words('task opening')})(?!\w)", re.IGNORECASE)
COMPOSITION = re.compile(
    rf"^[\W_]{{0,3}}{POLITE}(?:{join_words('writing verb')})\s[^\n.!?]{{0,40}}?\b(?:{join_words('genre')})(?!\w)",
    re.IGNORECASE,
)
# What is set apart to be worked on: a quotation, or what stands behind a colon.
SET_APART = re.compile(r"[\"“”„«»‘]|(?<!\w)'|:\s*\S")


@cache
def load_requests() -> Lexicon:
    """The phrases by which claims know a request to remember: one list for both."""
    return Lexicon(
        chain.from_iterable(
            build_entries("remember", code, read_entries(code, "claims", "remember")) for code in list_codes()
        )
    )


def is_request_to_remember(annotated: AnnotatedText) -> bool:
    """Whether the text opens with a request to remember and tells something behind it."""
    if not annotated.sentences:
        return False
    first = annotated.sentences[0]
    end = find_request_end(first)
    return end > 0 and (len(first.words) - end >= LEAST_TOLD or len(annotated.sentences) > 1)


def find_request_end(sentence: Sentence) -> int:
    """Behind which word the request ends, 0 where there is none."""
    lexicon = load_requests()
    ends = [0]
    for place, word in enumerate(sentence.words[:READ]):
        for entry in lexicon.find_anchored(word):
            start = place - entry.anchor
            if 0 <= start <= FURTHEST and entry.fits(sentence.words, start):
                ends.append(start + len(entry.parts))
    return max(ends)


def is_exercise(annotated: AnnotatedText) -> bool:
    """Whether it sets a task in language with words that are set apart: whose they are, nobody knows.

    "Translate: 'I live in Paris ...'" tells nothing of who asks.
    """
    if not annotated.own_sentences:
        return False
    if is_mostly_quoted(annotated) or TASK.match(annotated.text) or COMPOSITION.match(annotated.text):
        return True
    first = annotated.own_sentences[0]
    is_task = any(start in first.sentence_starts for start, _ in first.spans("exercise"))
    return is_task and SET_APART.search(annotated.text) is not None
