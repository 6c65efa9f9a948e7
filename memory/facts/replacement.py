"""What a statement likely takes the place of, where neither the judge nor the words of a change say so.

The judge knows slots and words of change; much is told without either ("half past eight now", "a second group came").
So the statement is compared with all that is known nearby. From ``ENDS`` on it ends the likeliest where its words allow
it; from ``DOUBTED`` on a person decides; a remark from ``KEPT`` on is kept beside it. To end wrongly is worse than to
miss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory.facts.pairs.likelihood import Replacement, estimate_matter, estimate_replacement, may_replace
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import READ, PairStatement

# Where an author was left out, 17 of 362 turns of a month that replace nothing reach .5; the words of a change are
# needed besides.
ENDS: Final = 0.5
# From here on what a turn tells is kept beside what it likely speaks of: 308 of 378 turns that replace something, 82 of
# 181 that only look like it, 23 of the 362 other turns of four months.
KEPT: Final = 0.4
# From here on both hold, though a person should look: 286 of those 378, 62 of the 181, 17 of the 362.
DOUBTED: Final = 0.5
DAY_S: Final = 86_400
# Among so many something is always the nearest. In three months of a life none of 13 doubts without a word of
# change was right then, nor any of five endings below a cosine of .45: there they need the word, and the nearness.
MANY: Final = 10
NEAR: Final = 0.45


@dataclass(frozen=True, slots=True)
class EarlierStatement:
    """What is known already: as the judge reads it, when it was last said, and its cosine to the new statement."""

    statement: PairStatement
    last_said: datetime
    is_same_thread: bool
    cosine: float | None


@dataclass(frozen=True, slots=True)
class LikelyReplacement:
    """``chance`` is between 0 and 1; ``may_end`` whether the words allow that it ends the earlier statement,
    ``is_among_many`` whether so much is known that a chance alone says little. ``matter`` is how likely it speaks of
    the earlier one, whether or not both may hold."""

    chance: float = 0.0
    may_end: bool = False
    is_among_many: bool = False
    matter: float = 0.0

    @property
    def ends(self) -> bool:
        return self.may_end and self.chance >= ENDS

    @property
    def is_doubtful(self) -> bool:
        """Whether the earlier one likely no longer holds, so that a person should decide."""
        return self.chance >= DOUBTED and (self.may_end or not self.is_among_many)


def estimate_all(
    earlier: Sequence[EarlierStatement], new: PairStatement, said_at: datetime, turn: str = ""
) -> list[LikelyReplacement]:
    """How likely the new statement takes the place of each; not at all where nothing is known of how near they are.

    ``turn`` is all that was said with it, which may name its matter.
    """
    known = [one.cosine for one in earlier if one.cosine is not None]
    if not known:
        return [LikelyReplacement()] * len(earlier)
    # The facts nearest to a statement are measured; any other is further away.
    furthest = min(known)
    cosines = [furthest if one.cosine is None else one.cosine for one in earlier]
    newer = read_pair_statement(new)
    around = read_pair_statement(PairStatement(turn[:READ])) if turn else newer
    is_among_many = len(known) >= MANY
    found = []
    for one, cosine in zip(earlier, cosines, strict=True):
        if one.last_said >= said_at or (is_among_many and cosine < NEAR):
            found.append(LikelyReplacement())
            continue
        days = (said_at - one.last_said).total_seconds() / DAY_S
        pair = Replacement(
            read_pair_statement(one.statement), newer, cosine, cosines, days, one.is_same_thread, new.statement, around
        )
        chance = estimate_replacement(pair)
        matter = chance or estimate_matter(pair)
        found.append(LikelyReplacement(chance, may_replace(pair), is_among_many, matter))
    return found
