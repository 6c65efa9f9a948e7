"""How likely it is that a statement takes the place of an earlier one, where no rule of the judge says so. Pure.

Logistic regression over what both say and over how near they are among all that is known. Learned turn by turn from own
conversations and from the development halves of ten authors (`tests/training/replacement`). Where an author was left
out, 286 of 378 turns of conversations that replace something point at it at .5, beside 62 of 181 that only look like
it; of four months 11 of 60, beside 17 of the 362 others.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

from memory.claims.claim import SPEAKER
from memory.facts.pairs.reading import PairReading, measure_overlap, read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.facts.pairs.values import conflict
from memory.facts.pairs.voice import OF_SELF, OF_STRANGERS, READ, ToldVoice, hear_voice
from memory.facts.pairs.words import find_shared_words
from memory.scoring import squash_logit

WEIGHTS: Final = Path(__file__).parent / "likelihood.json"
BIAS: Final = "bias"
# Cosines are compared in spreads of those of all candidates, as each embedder has a scale of its own.
LEAST_SPREAD: Final = 0.05
SCALE: Final = 4.0
BRIEF, LONG = 4, 9
SECOND: Final = "second"
# "It's Thursdays now, same place" names nothing, "the dog goes to the vet on Friday" does.
OWN_WORDS: Final = 2


@dataclass(frozen=True)
class Replacement:
    """A statement, an earlier one that it may replace, and the cosines of all the earlier ones, its own among them."""

    older: PairReading
    newer: PairReading
    cosine: float
    cosines: Sequence[float]
    days: float
    is_same_thread: bool
    # In the person's words, for whom those are of.
    told: str
    # All that was said with it, where that is known.
    around: PairReading | None = None

    @cached_property
    def voice(self) -> ToldVoice:
        return hear_voice(self.told[:READ])

    @cached_property
    def spread(self) -> float:
        return max(LEAST_SPREAD, pstdev(self.cosines))

    @property
    def standing(self) -> float:
        return (self.cosine - fmean(self.cosines)) / self.spread / SCALE

    @property
    def is_nearest(self) -> bool:
        return self.cosine >= max(self.cosines)

    @property
    def lead(self) -> float:
        """Before the next of them, or behind the first."""
        first, *others = sorted(self.cosines, reverse=True)
        against = (others[0] if others else first) if self.is_nearest else first
        return (self.cosine - against) / self.spread / SCALE

    @property
    def shared(self) -> float:
        return measure_overlap(self.older, self.newer)


def list_kinds(reading: PairReading) -> set[str]:
    return {kind for kind, _ in reading.values}


SIGNS: Final[Mapping[str, Callable[[Replacement], float]]] = {
    "changes": lambda pair: pair.newer.tells_change,
    "ends": lambda pair: pair.newer.tells_end,
    "passes": lambda pair: pair.newer.is_passing,
    "values differ": lambda pair: conflict(pair.older.values, pair.newer.values),
    "new kind of value": lambda pair: bool(list_kinds(pair.newer) - list_kinds(pair.older)),
    "names": lambda pair: any(word.is_name for word in pair.newer.words),
    "new name": lambda pair: bool(pair.newer.names - pair.older.names),
    "old name": lambda pair: bool(pair.newer.names & pair.older.names),
    "names differ": lambda pair: (
        bool(pair.older.names and pair.newer.names) and not pair.older.names & pair.newer.names
    ),
    "words shared": lambda pair: pair.shared,
    "slot shared": lambda pair: bool(pair.older.slots & pair.newer.slots),
    "slots apart": lambda pair: bool(pair.older.slots and pair.newer.slots) and not pair.older.slots & pair.newer.slots,
    "newer of others": lambda pair: bool(pair.newer.kin),
    "older of others": lambda pair: bool(pair.older.kin),
    "others differ": lambda pair: pair.newer.kin != pair.older.kin,
    "tells": lambda pair: pair.voice.telling,
    "of self": lambda pair: not pair.voice.kinds.isdisjoint(OF_SELF),
    "of strangers": lambda pair: not pair.voice.kinds.isdisjoint(OF_STRANGERS),
    "same thread": lambda pair: pair.is_same_thread,
    "time between": lambda pair: math.log1p(max(0.0, pair.days)),
    "brief": lambda pair: len(pair.newer.words) <= BRIEF,
    "long": lambda pair: len(pair.newer.words) > LONG,
    "says nothing": lambda pair: not (pair.newer.words or pair.newer.values),
    "standing": lambda pair: pair.standing,
    "nearest": lambda pair: pair.is_nearest,
    "lead": lambda pair: pair.lead,
    "alone": lambda pair: len(pair.cosines) == 1,
}


@cache
def load_weights() -> tuple[float, tuple[float, ...]]:
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return float(weights[BIAS]), tuple(float(weights[name]) for name in SIGNS)


def list_signs(pair: Replacement) -> list[float]:
    """One number for each of ``SIGNS``, in their order."""
    return [float(sign(pair)) for sign in SIGNS.values()]


def estimate_replacement(pair: Replacement) -> float:
    """Between 0 and 1. Of plans, of somebody else's life and of what is added to what there is, 0."""
    return 0.0 if is_beside(pair) else estimate_matter(pair)


def estimate_matter(pair: Replacement) -> float:
    """How likely it speaks of the earlier one, though it may hold beside it: words of one more ("too many teenagers",
    "otra vez") and of people ("my aunt's Fabia") are as often said of something else. Of plans 0."""
    if pair.newer.time == "plan":
        return 0.0
    bias, weights = load_weights()
    logit = bias + sum(weight * sign for weight, sign in zip(weights, list_signs(pair), strict=True))
    return squash_logit(logit)


def is_beside(pair: Replacement) -> bool:
    """Whether it may hold beside the earlier one whatever it says: "my brother started at Bosch", "a second car"."""
    newer, older = pair.newer, pair.older
    return bool(newer.kin - older.kin) or SECOND in newer.tags or newer.time == "plan"


def may_replace(pair: Replacement) -> bool:
    """Whether the words speak for it that the earlier one ends: a change, for good, of the same matter and person.

    Nearest to a statement is always something, were it the only thing known; without the matter in its words a second
    statement of a person's would end their first.
    """
    newer = pair.newer
    is_of_other = newer.subject not in {"", SPEAKER, pair.older.subject}
    tells_change = (newer.tells_change or newer.tells_end) and not newer.is_passing
    return tells_change and not is_of_other and not is_of_strangers(pair) and is_of_one_matter(pair)


def is_of_strangers(pair: Replacement) -> bool:
    """ "The neighbour's cat died" ends nothing of the person's own, however near a cat of theirs is."""
    kinds = pair.voice.kinds
    return not kinds.isdisjoint(OF_STRANGERS) and kinds.isdisjoint(OF_SELF) and pair.older.is_of_user


def is_of_one_matter(pair: Replacement) -> bool:
    """A slot, a word, or another value of one kind. A name alone is no matter: "Rui doesn't eat mussels" and "Rui
    changed shifts" both hold; unless something has ended."""
    older, newer = pair.older, pair.newer
    if older.slots & newer.slots or (conflict(older.values, newer.values) and not is_of_own_matter(pair)):
        return True
    if newer.tells_end:
        return pair.shared > 0
    # At the beginning of a sentence a name does not show.
    names = [word for word in (*older.words, *newer.words) if word.is_name]
    shared = find_shared_words(newer.words, older.words)
    return any(not any(word.meets(name) for name in names) for word in shared)


def is_of_own_matter(pair: Replacement) -> bool:
    """Whether it names what its value is of, and that is nothing of the earlier one's: of "tai chi on Saturdays" the
    day is another than that of the bowls, and no later one."""
    around = pair.around or pair.newer
    if find_shared_words(around.words, pair.older.words):
        return False
    return sum(not word.is_marker for word in pair.newer.words) >= OWN_WORDS


def adds_another(statement: PairStatement) -> bool:
    """Whether it tells of one more, and ends or replaces nothing by its own words."""
    is_ending = statement.tense == "over" or bool(statement.replaces)
    return not is_ending and SECOND in read_pair_statement(statement).tags
