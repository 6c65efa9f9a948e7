"""What a statement likely takes the place of, where neither the judge nor the words of a change say so.

The judge knows slots and words of change; much is told without either ("half past eight now", "a second group came").
So the statement is compared with all that is known nearby. From ``ENDS`` on it ends the likeliest; a remark from
``KEPT`` on is kept beside it, and a person decides: to end wrongly is worse than to miss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory.facts.pairs.likelihood import Replacement, estimate_replacement, may_replace
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import PairStatement

# Of conversations by an author whose data the weights had not seen: at .6 none of 80 that only looked like a change and
# one of two months' 252 turns ended a fact wrongly; at .5 the months' two.
ENDS: Final = 0.6
# At .2 half of the remarks that replace something are kept, and four of 79 in two months that do not.
KEPT: Final = 0.2
# From here on both hold, though a person should look: of the development halves of two authors and two months 24 such
# pairs were replaced and 11 were not; a month has three.
DOUBTED: Final = 0.3
DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class EarlierStatement:
    """What is known already: as the judge reads it, when it was last said, and its cosine to the new statement."""

    statement: PairStatement
    last_said: datetime
    is_same_thread: bool
    cosine: float | None


@dataclass(frozen=True, slots=True)
class LikelyReplacement:
    """``chance`` is between 0 and 1; ``may_end`` whether the words allow that it ends the earlier statement."""

    chance: float = 0.0
    may_end: bool = False

    @property
    def ends(self) -> bool:
        return self.may_end and self.chance >= ENDS


def estimate_all(earlier: Sequence[EarlierStatement], new: PairStatement, said_at: datetime) -> list[LikelyReplacement]:
    """How likely the new statement takes the place of each; not at all where nothing is known of how near they are."""
    known = [one.cosine for one in earlier if one.cosine is not None]
    if not known:
        return [LikelyReplacement()] * len(earlier)
    # The facts nearest to a statement are measured; any other is further away.
    furthest = min(known)
    cosines = [furthest if one.cosine is None else one.cosine for one in earlier]
    newer = read_pair_statement(new)
    found = []
    for one, cosine in zip(earlier, cosines, strict=True):
        days = (said_at - one.last_said).total_seconds() / DAY_S
        pair = Replacement(read_pair_statement(one.statement), newer, cosine, cosines, days, one.is_same_thread)
        is_later = one.last_said < said_at
        found.append(
            LikelyReplacement(estimate_replacement(pair), may_replace(pair)) if is_later else LikelyReplacement()
        )
    return found
