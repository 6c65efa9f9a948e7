"""How likely a passage tells something that lasts about the person: logistic regression over its features.

It only predicts, with numpy; it is trained outside the product (`tests/training/claims/train.py`). The rules of the
reader say what a clause claims, this whether the words around it are somebody's life or a task, a part, a joke. What is
learned in one language holds in the others by the kinds of words; small words in their order and the endings of the
others carry what a language has of its own. What the rules found is no feature: they were made on most of the turns
that it learns from, where they are right, and it would trust them everywhere.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.claims.lexicon import load_small_words
from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.features import Features, kind_features, ngram_features, normalise_word, word_features

WEIGHTS: Final = Path(__file__).parent / "telling.npz"
BUCKETS: Final = 1 << 17
# Words of a passage that are looked at: a person says what lasts in fewer.
MOST_WORDS: Final = 60
SKELETON_SIZES: Final = (2, 3, 4)
ENDING: Final = 2
# How much a group of features counts beside the others. Of authors left out, pieces of words tell more than skeletons.
PIECES_COUNT: Final = 1.3
SKELETONS_COUNT: Final = 0.7


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, or some that stand together. ``is_masked``: code or a quotation was cut out of the text."""

    sentences: tuple[Sentence, ...]
    is_masked: bool = False


@dataclass(frozen=True, slots=True)
class TellingWeights:
    """A weight for each feature bucket, in steps of one byte."""

    steps: NDArray[np.int8]
    step: float
    bias: float

    @classmethod
    def load(cls, path: Path) -> "TellingWeights":
        with np.load(path) as stored:
            return cls(stored["steps"], float(stored["step"]), float(stored["bias"]))

    def predict(self, features: Features) -> float:
        buckets, values = features
        score = float(values @ self.steps[buckets].astype(np.float32)) * self.step + self.bias
        return float(1.0 / (1.0 + np.exp(-score)))


@cache
def load_weights() -> TellingWeights:
    return TellingWeights.load(WEIGHTS)


def rate_telling(passage: Passage) -> float:
    """How likely a passage tells of the person's life, from 0 to 1."""
    return load_weights().predict(extract_telling_features(passage)) if passage.sentences else 0.0


def extract_telling_features(passage: Passage) -> Features:
    sentences = passage.sentences
    words = [normalise_word(word) for sentence in sentences for word in sentence.words][:MOST_WORDS]
    whole = AnnotatedText(" ".join(one.raw for one in sentences), sentences, sentences, None)
    groups = (
        (1.0, word_features(words, whole)),
        (PIECES_COUNT, ngram_features(words)),
        (1.0, {name for one in sentences for name in kind_features(one)}),
        (SKELETONS_COUNT, set(chain.from_iterable(list_skeleton_features(one) for one in sentences))),
        (1.0, {"masked"} if passage.is_masked else set()),
    )
    buckets = [zlib.crc32(name.encode()) % BUCKETS for _, names in groups for name in sorted(names)]
    # Each group has the length that it counts, so that a long text does not drown its few kinds in pieces of words.
    values = [count * len(names) ** -0.5 for count, names in groups for _ in names]
    return np.array(buckets, dtype=np.intp), np.array(values, dtype=np.float32)


def list_skeleton_features(sentence: Sentence) -> Iterator[str]:
    """The small words of a sentence in their order, the others by a capital or their ending."""
    small = load_small_words()
    bones = ["<", *(name_bone(sentence, at, small) for at in range(min(len(sentence.words), MOST_WORDS))), ">"]
    for size in SKELETON_SIZES:
        for at in range(len(bones) - size + 1):
            yield f"bone {' '.join(bones[at : at + size])}"


def name_bone(sentence: Sentence, place: int, small: frozenset[str]) -> str:
    word = sentence.words[place]
    plain = normalise_word(word)
    if word in small or plain[0] == "#":
        return plain
    return "^" if place in sentence.capitals else f"~{plain[-ENDING:]}"


def join_passages(passages: Sequence[Passage]) -> Passage:
    return Passage(
        tuple(chain.from_iterable(one.sentences for one in passages)), any(one.is_masked for one in passages)
    )
