"""A second opinion beside the rules: a linear judge over traits, trained on examples by ``training``."""

import json
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.guard.annotation import AnnotatedText
from memory.guard.features import BUCKETS, Features, extract_features, split_into_passages, split_into_sentences

WEIGHTS = Path(__file__).parent / "opinion.weights"
KEEP = "keep"
HARMFUL = ("secret", "override", "authority", "promotion", "planted")
TRIVIAL = ("raw_turn", "joke", "hypothesis", "gossip", "world", "passing")
CLASSES = (KEEP, *HARMFUL, *TRIVIAL)
LARGEST = 127
"""A weight is kept in one byte."""

HARM_THRESHOLD = 0.35
"""A text is refused when it is as likely as this to be harmful, and no more likely to be harmless and slight."""
UNEASE, ALARM = 0.6, 0.8
"""The same for one sentence of a short text and for one of a long one: each of them may be misjudged."""
KEEP_THRESHOLD = 0.5
"""A text whose likelihood of being one to keep lies below is refused where it would do no harm either."""
MOST_WORDS_OF_BRIEF = 4
"""Words up to which a text says too little for the judge to call it nothing to keep, or to be merely afraid of it."""
OVERRULE_TRIVIAL_THRESHOLD = 0.8
"""A likelihood of being one to keep that overrules the rules against what would do no harm."""
OVERRULE_ORDER_THRESHOLD = 0.95
"""The same for the rules against orders; nothing overrules those against secrets and disguise."""


@dataclass(frozen=True, slots=True)
class ClassifierWeights:
    """What each trait says for each class, in steps, and what is held of a text that shows none."""

    steps: NDArray[np.int8]
    step: NDArray[np.float32]
    bias: NDArray[np.float32]

    def likelihoods(self, shown: Features) -> NDArray[np.float32]:
        places, shares = shown
        told = (shares @ self.steps[places].astype(np.float32)) * self.step + self.bias
        told = np.exp(told - told.max())
        return np.asarray(told / told.sum(), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Classification:
    """``harm`` is the harmful class a text is taken for, ``slight`` the harmless one, if any."""

    harm: str | None
    slight: str | None
    trusts: bool
    is_certain: bool


def classify_text(reading: AnnotatedText) -> Classification:
    """What the trained judge holds of a text. Harm counts in any passage of it, the rest only in all of them."""
    weights = load_weights()
    told = [weights.likelihoods(extract_features(passage)) for passage in split_into_passages(reading)]
    is_whole, is_single = len(told) == 1, len(reading.sentences) == 1
    parts = (
        told
        if is_single or not is_whole
        else [weights.likelihoods(extract_features(one)) for one in split_into_sentences(reading)]
    )
    is_brief = is_single and len(reading.sentences[0].words) <= MOST_WORDS_OF_BRIEF
    fear = (UNEASE if is_brief else HARM_THRESHOLD) if is_whole else ALARM
    harms = [found for one in told if (found := find_harm_class(one, fear))]
    harms += [found for one in parts if (found := find_harm_class(one, UNEASE if is_whole else ALARM))]
    slights = [None if is_brief else find_trivial_class(one) for one in told]
    slight = slights[0] if slights and None not in slights else None
    return Classification(
        harm=harms[0] if harms else None,
        slight=slight,
        # A sentence that would be kept alone does not make up for a whole that is a joke.
        trusts=slight is None and any(one[0] >= OVERRULE_TRIVIAL_THRESHOLD for one in [*told, *parts]),
        is_certain=bool(told) and all(one[0] >= OVERRULE_ORDER_THRESHOLD for one in told),
    )


def find_harm_class(told: NDArray[np.float32], least: float) -> str | None:
    """The harmful class of a passage that is at least so likely to be harmful."""
    harm, slight = told[1 : len(HARMFUL) + 1], told[len(HARMFUL) + 1 :]
    return HARMFUL[int(harm.argmax())] if harm.sum() >= max(least, slight.sum()) else None


def find_trivial_class(told: NDArray[np.float32]) -> str | None:
    return TRIVIAL[int(told[len(HARMFUL) + 1 :].argmax())] if told[0] < KEEP_THRESHOLD else None


@cache
def load_weights() -> ClassifierWeights:
    return unpack_weights(WEIGHTS.read_bytes())


def pack_weights(weights: ClassifierWeights) -> bytes:
    head = {
        "classes": CLASSES,
        "step": [float(f"{number:.6g}") for number in weights.step],
        "bias": [float(f"{number:.4f}") for number in weights.bias],
    }
    return json.dumps(head).encode() + b"\n" + zlib.compress(weights.steps.tobytes(), 9)


def unpack_weights(content: bytes) -> ClassifierWeights:
    head, _, body = content.partition(b"\n")
    told = json.loads(head)
    steps = np.frombuffer(zlib.decompress(body), dtype=np.int8).reshape(BUCKETS, len(CLASSES))
    return ClassifierWeights(steps, np.array(told["step"], dtype=np.float32), np.array(told["bias"], dtype=np.float32))
