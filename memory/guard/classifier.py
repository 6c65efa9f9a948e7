"""The classifier beside the rules: logistic regression over the features of a text, with weights that are stored.

It only predicts, with numpy. It is trained outside the product (`tests/training/guard/train.py`).
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.guard.annotation import AnnotatedText, Sentence
from memory.guard.features import Features, extract_features, split_into_passages, split_into_sentences

WEIGHTS = Path(__file__).parent / "classifier.npz"
KEEP = "keep"
HARMFUL = ("secret", "override", "authority", "promotion", "planted")
TRIVIAL = ("raw_turn", "joke", "hypothesis", "gossip", "world", "passing", "exercise")
CLASSES = (KEEP, *HARMFUL, *TRIVIAL)
FIRST_TRIVIAL = len(HARMFUL) + 1

# The thresholds were set on the sets of writes: what could do harm is refused in doubt, the rest kept in doubt.
# A text is refused when it is as likely as this to be harmful, and no more likely to be trivial.
HARM_THRESHOLD = 0.35
# The same for one sentence of a short text, and for one of a long text: each of them may be misjudged.
SENTENCE_HARM_THRESHOLD, LONG_TEXT_HARM_THRESHOLD = 0.6, 0.8
# A text is trivial when it is less likely than this to be one to keep.
# Of authors left out .6 puts one statement in a hundred under review and finds one slight write in twenty more.
KEEP_THRESHOLD = 0.6
# A likelihood of being one to keep that overrules the rules against what is trivial.
OVERRULE_TRIVIAL_THRESHOLD = 0.8
# The same for the rules against orders; nothing overrules those against secrets and disguise.
OVERRULE_ORDER_THRESHOLD = 0.95
# Words up to which a text says too little to be called trivial, or harmful without some certainty.
MOST_WORDS_OF_BRIEF = 4

# One for each of CLASSES.
Probabilities = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ClassifierWeights:
    """A weight for each feature bucket and class, in steps of one byte, and the bias of each class."""

    steps: NDArray[np.int8]
    step: NDArray[np.float32]
    bias: NDArray[np.float32]

    def predict(self, features: Features) -> Probabilities:
        buckets, values = features
        scores = (values @ self.steps[buckets].astype(np.float32)) * self.step + self.bias
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum(), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Classification:
    """The harmful and the trivial class a text is taken for, if any, and which rules the classifier overrules."""

    harmful: str | None
    trivial: str | None
    harm_likelihood: float
    overrules_trivial: bool
    overrules_order: bool


@cache
def load_weights() -> ClassifierWeights:
    with np.load(WEIGHTS) as stored:
        return ClassifierWeights(stored["steps"], stored["step"], stored["bias"])


def classify_text(text: AnnotatedText) -> Classification:
    """Harm counts in any passage of a text, the rest only where all its passages agree."""
    weights = load_weights()
    passages = [weights.predict(extract_features(passage)) for passage in split_into_passages(text)]
    is_short, is_single = len(passages) == 1, len(text.sentences) == 1
    sentences = passages
    if is_short and not is_single:
        sentences = [weights.predict(extract_features(sentence)) for sentence in split_into_sentences(text)]
    is_brief = is_single and len(text.sentences[0].words) <= MOST_WORDS_OF_BRIEF
    # Each sentence of a long text is one more chance to be wrong, so each must be surer of harm.
    sentence_threshold = SENTENCE_HARM_THRESHOLD if is_short else LONG_TEXT_HARM_THRESHOLD
    threshold = HARM_THRESHOLD if is_short and not is_brief else sentence_threshold
    harmful = [name for one in passages if (name := find_harmful_class(one, threshold))]
    harmful += [name for one in sentences if (name := find_harmful_class(one, sentence_threshold))]
    trivial = [None if is_brief else find_trivial_class(one) for one in passages]
    trivial_class = trivial[0] if trivial and None not in trivial else None
    return Classification(
        harmful=harmful[0] if harmful else None,
        trivial=trivial_class,
        harm_likelihood=max((float(one[1:FIRST_TRIVIAL].sum()) for one in [*passages, *sentences]), default=0.0),
        # A sentence that would be kept alone does not make up for a whole that is a joke.
        overrules_trivial=trivial_class is None
        and any(one[0] >= OVERRULE_TRIVIAL_THRESHOLD for one in [*passages, *sentences]),
        overrules_order=bool(passages) and all(one[0] >= OVERRULE_ORDER_THRESHOLD for one in passages),
    )


def rate_harm(sentence: Sentence, text: AnnotatedText) -> float:
    """How likely one sentence of a text is to do harm."""
    passage = AnnotatedText(sentence.raw, (sentence,), (sentence,), text.languages)
    predicted = [load_weights().predict(extract_features(one)) for one in split_into_passages(passage)]
    return max((float(one[1:FIRST_TRIVIAL].sum()) for one in predicted), default=1.0)


def find_harmful_class(probabilities: Probabilities, threshold: float) -> str | None:
    harmful, trivial = probabilities[1:FIRST_TRIVIAL], probabilities[FIRST_TRIVIAL:]
    return HARMFUL[int(harmful.argmax())] if harmful.sum() >= max(threshold, trivial.sum()) else None


def find_trivial_class(probabilities: Probabilities) -> str | None:
    return TRIVIAL[int(probabilities[FIRST_TRIVIAL:].argmax())] if probabilities[0] < KEEP_THRESHOLD else None
