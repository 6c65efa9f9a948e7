"""What somebody does with a turn: tells, asks, bids, supposes or reacts. Logistic regression over words and cues.

It only predicts, with numpy; it is trained outside the product (`tests/training/acts/train.py`). Words and their pieces
carry what a language says by them ("je me demande si", "wehe wenn"), the kinds of words and what the rules found what
all of them have in common. By the rules alone .75 of the turns without a fact that were written for the training were
judged right; of an author who was left out .93 are.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.tokens import HotToken

DialogueAct = Literal["tell", "ask", "order", "suppose", "react"]
ACTS: Final[tuple[DialogueAct, ...]] = get_args(DialogueAct)
WEIGHTS: Final = Path(__file__).parent / "acts.npz"
BUCKETS: Final = 1 << 15
# Words that are looked at: what somebody does shows early and at the end.
MOST_WORDS: Final = 40
LENGTH_STEP, LONGEST = 3, 4
PIECES: Final = (3, 4)
# Kinds of words that say who does what; of a word the first counts in its order.
KINDS: Final = (
    *(
        "i",
        "my",
        "thou",
        "he",
        "she",
        "it",
        "they",
        "not",
        "if",
        "wh",
        "conj",
        "but",
        "be 1",
        "be 3",
        "have 1",
        "have 3",
    ),
    *("frame", "first", "verb", "lasting", "passing", "vague", "modal", "asks within", "time", "quality", "occupation"),
    *("favorite", "named", "event", "dwelling", "answers no", "correcting", "greets", "det", "degree", "adv"),
)


@dataclass(frozen=True, slots=True)
class ActWeights:
    """A weight for each feature bucket and act, in steps of one byte."""

    steps: NDArray[np.int8]
    step: float
    bias: NDArray[np.float32]

    def predict(self, features: tuple[NDArray[np.intp], NDArray[np.float32]]) -> NDArray[np.float32]:
        buckets, values = features
        scores = (values @ self.steps[buckets].astype(np.float32)) * self.step + self.bias
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum(), dtype=np.float32)


@cache
def load_act_weights() -> ActWeights:
    with np.load(WEIGHTS) as stored:
        return ActWeights(stored["steps"], float(stored["step"]), stored["bias"])


def rate_acts(clauses: Sequence[HotClause], cues: Sequence[str]) -> dict[DialogueAct, float]:
    """How likely each act is; ``cues`` is what the rules found in the turn."""
    rated = load_act_weights().predict(hash_features(name_features(clauses, cues)))
    return {act: float(rate) for act, rate in zip(ACTS, rated, strict=True)}


def hash_features(groups: Sequence[set[str]]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Each group has length one, as in the guard's features."""
    buckets = [zlib.crc32(name.encode()) % BUCKETS for names in groups for name in sorted(names)]
    values = [len(names) ** -0.5 for names in groups for _ in names]
    return np.array(buckets, dtype=np.intp), np.array(values, dtype=np.float32)


def name_features(clauses: Sequence[HotClause], cues: Sequence[str]) -> tuple[set[str], ...]:
    tokens = [token for clause in clauses for token in clause.tokens if not token.is_mark][:MOST_WORDS]
    words = ["#" if any(char.isdigit() for char in token.plain) else token.plain for token in tokens]
    pieces = {
        f"c {framed[at : at + size]}"
        for framed in {f"<{word}>" for word in words}
        for size in PIECES
        for at in range(len(framed) - size + 1)
    }
    return set(name_words(words)), pieces, set(name_kinds(clauses, tokens)), set(cues)


def name_words(words: Sequence[str]) -> Iterator[str]:
    yield from (f"w {word}" for word in words)
    yield from (f"b {one} {other}" for one, other in pairwise(words))
    if words:
        # An order begins with its verb, and the verb's ending says that it is one.
        yield from (f"f {words[0]}", f"ff {' '.join(words[:2])}", f"l {words[-1]}")
        yield from (f"e {words[0][-2:]}", f"e {words[0][-3:]}")


def name_kinds(clauses: Sequence[HotClause], tokens: Sequence[HotToken]) -> Iterator[str]:
    yield from (f"k {kind}" for token in tokens for kind in KINDS if kind in token.classes)
    yield from (f"o{at} {kind}" for at, token in enumerate(tokens[:2]) for kind in KINDS if kind in token.classes)
    order = ["<", *(next((kind for kind in KINDS if kind in token.classes), "-") for token in tokens)]
    yield from (f"s {one} {other}" for one, other in pairwise(order))
    yield f"length {min(len(tokens) // LENGTH_STEP, LONGEST)}"
    yield f"asks {any(clause.is_asking for clause in clauses)}"
    yield f"bare {all(clause.is_bare for clause in clauses)}"
