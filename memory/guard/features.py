"""The features of a passage that the classifier reads: words, pieces of them, and the kinds of words the rules know.

Words and pieces tell what a language has of its own; kinds ("somebody close", "a secret", "an order") mean the same in
all of them, so what is learned in one language holds in the others.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from memory.guard.annotation import ADDRESS_MARK, MOST_REPEATS, AnnotatedText, Sentence, annotate_text
from memory.guard.spelling import fold_letters

# 32,768 buckets for the 112,000 names of the training data: most that share one are rare, and the weights stay small.
# Features are counted by a hash of their name; those that share a bucket share a weight.
BUCKETS = 1 << 15
# Words that are classified at once.
LONGEST_PASSAGE = 60
LONGEST_WORD = 24
MOST_DIGITS = 5
# Kinds of words of a sentence up to which every pair of them is a feature.
MOST_KINDS = 12
PIECES = (2, 4)
# Letters at both ends of the first word.
EDGES, EDGE_WORDS = (2, 3), 1
BRIEF, SHORT, MIDDLING = 5, 9, 16

Features = tuple[NDArray[np.intp], NDArray[np.float32]]


def split_into_passages(annotated: AnnotatedText) -> list[AnnotatedText]:
    """The whole of a short text, else its sentences, the longest of them cut."""
    if sum(len(sentence.words) for sentence in annotated.sentences) <= LONGEST_PASSAGE:
        return [annotated] if annotated.sentences else []
    return split_into_sentences(annotated)


def split_into_sentences(annotated: AnnotatedText) -> list[AnnotatedText]:
    return [part for sentence in annotated.sentences for part in split_sentence(sentence, annotated)]


def split_sentence(sentence: Sentence, annotated: AnnotatedText) -> Iterator[AnnotatedText]:
    if len(sentence.words) <= LONGEST_PASSAGE:
        yield AnnotatedText(sentence.raw, (sentence,), (sentence,), annotated.languages)
        return
    words = sentence.words
    pieces = [" ".join(words[start : start + LONGEST_PASSAGE]) for start in range(0, len(words), LONGEST_PASSAGE)]
    # Passages are asked whether any or all are so: what comes a third time tells nothing new.
    seen: Counter[str] = Counter()
    for piece in pieces:
        seen[piece] += 1
        if seen[piece] <= MOST_REPEATS:
            yield annotate_text(piece, languages=annotated.languages)


def extract_features(passage: AnnotatedText) -> Features:
    """The buckets of a passage's features and the value of each: every group of features has the same length."""
    words = [normalise_word(word) for sentence in passage.sentences for word in sentence.words]
    groups = (
        word_features(words, passage),
        ngram_features(words),
        {name for one in passage.sentences for name in kind_features(one)},
    )
    # crc32 and not hash(): the same in every process, or the stored weights would mean nothing.
    buckets = [zlib.crc32(name.encode()) % BUCKETS for names in groups for name in sorted(names)]
    # Each group has length one, so that a long text does not drown its few telling kinds in pieces of words.
    values = [len(names) ** -0.5 for names in groups for _ in names]
    return np.array(buckets, dtype=np.intp), np.array(values, dtype=np.float32)


def normalise_word(word: str) -> str:
    """A word in its plainest letters; a number by its length, so that no number is learned by heart."""
    if word == ADDRESS_MARK:
        return "@"
    if any(char.isdigit() for char in word):
        return f"{'#' if word.isdigit() else '#a'}{min(len(word), MOST_DIGITS)}"
    return fold_letters(word[:LONGEST_WORD])


def word_features(words: Sequence[str], passage: AnnotatedText) -> set[str]:
    named = {f"w {word}" for word in words} | {f"b {one} {other}" for one, other in pairwise(words)}
    # What a verb is told or bidden in stands at its edges, and an order begins with one: "תשלח", "mándame", "riassumi".
    named |= {
        name
        for place, word in enumerate(words[:EDGE_WORDS])
        for size in EDGES
        if len(word) > size
        for name in (f"e{place}p {word[:size]}", f"e{place}s {word[-size:]}")
    }
    if words:
        named |= {f"first {words[0]}", f"begins {' '.join(words[:2])}", f"last {words[-1]}"}
    if any(sentence.is_question for sentence in passage.sentences):
        named.add("asks")
    named.add(f"length {sum(len(words) >= limit for limit in (BRIEF, SHORT, MIDDLING))}")
    return named


def ngram_features(words: Sequence[str]) -> set[str]:
    framed = {f"<{word}>" for word in words}
    return {f"c {word[at : at + size]}" for word in framed for size in PIECES for at in range(len(word) - size + 1)}


def kind_features(sentence: Sentence) -> Iterator[str]:
    """Which kinds of words a sentence has, which begin a clause, which stand together and which follow one another."""
    found = sorted(sentence.spans_by_kind)
    yield from (f"k {kind}" for kind in found)
    yield from (f"o {kind}" for kind in found if sentence.begins_clause(kind))
    if len(found) <= MOST_KINDS:
        yield from (f"p {one} {other}" for one, other in combinations(found, 2))
    placed = sorted((span, kind) for kind in found for span in sentence.spans_by_kind[kind])
    for (span, kind), (after, other) in pairwise(placed):
        if 0 <= after[0] - span[1] <= 2:
            yield f"s {kind} {other}"
