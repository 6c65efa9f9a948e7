"""Pairs of statements that say the same, among what is kept for good: by the judge of pairs, for a person to decide.

What is word for word the same was merged when it was written, and the facts behind statements are merged each night;
here are statements that no fact was read out of, and those whose facts were read apart.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import combinations
from typing import Final
from uuid import UUID

from memory.access.confinement import RowScope
from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.facts.pairs import judge_pair, read_statement
from memory.models import DecidedMatter, EndUser, MemoryItem
from memory.models.inbox import MatterKind
from memory.retrieval.duplicates import read_stems, read_words
from memory.store.merging import NUMBERS, rank_wording
from memory.tiers import Tier

KEPT_FOR_GOOD: Final = (Tier.MEMORY_BANK, Tier.PATTERNS)
# The latest of each tier, twice what the bank holds by default: reading one takes 2 ms.
MOST_READ: Final = 2_000
# Of the words that say something, the share that two must have in common before they are judged. Of what the judge of
# pairs takes for the same, 23 of 48 such pairs have .3 (development half); what shares less is left to the facts.
SHARED: Final = 0.3
# Statements with one word in common beyond which the word tells nothing: "the", or a name that all are about.
COMMON: Final = 60
MOST_PAIRS: Final = 200


def look_for_duplicates(user: EndUser, *, now: datetime) -> int:
    """Compare what is kept for good. Returns how many pairs were not known. What was decided does not wait again."""
    with user_scope(user):
        lock_for_transaction("inbox", user)
        items = [item for tier in KEPT_FOR_GOOD for item in read_latest(user, tier)]
        own = DecidedMatter.objects.filter(user=user, kind=MatterKind.DUPLICATES)
        known = {frozenset((row.item_id, row.other_id)): row for row in own}
        found, new = [], []
        for pair in list_pairs(items):
            row = known.get(frozenset(item.pk for item in pair))
            if row is None:
                new.append(build_pair(user, pair, now))
            elif not row.decision:
                found.append(row.pk)
        # What is no longer alike waits no more; what is waits from its latest comparison on.
        own.filter(decision="").exclude(pk__in=found).delete()
        own.filter(pk__in=found).update(found_at=now)
        DecidedMatter.objects.bulk_create(new)
    return len(new)


def read_latest(user: EndUser, tier: Tier) -> list[MemoryItem]:
    kept = MemoryItem.objects.for_user(user).active().filter(tier=tier, review=False)
    return list(kept.defer("lexemes", "metadata").order_by("-occurred_at", "pk")[:MOST_READ])


def build_pair(user: EndUser, pair: Sequence[MemoryItem], now: datetime) -> DecidedMatter:
    """The better of the two first, which the other would be merged into."""
    better, other = sorted(pair, key=lambda item: (rank_wording(item), item.updated_at, item.pk), reverse=True)
    return DecidedMatter(
        user=user,
        agent_id=better.agent_id,
        project_id=better.project_id,
        kind=MatterKind.DUPLICATES,
        item_id=better.pk,
        other_id=other.pk,
        found_at=now,
    )


def list_pairs(items: Sequence[MemoryItem]) -> Iterator[tuple[MemoryItem, MemoryItem]]:
    """Those alike, of one tier, scope and speaker, each memory in as many pairs as it is in."""
    by_word: dict[tuple[str, RowScope, str], list[MemoryItem]] = defaultdict(list)
    for item in items:
        for word in read_stems(item.text):
            by_word[item.tier, RowScope.of(item), word].append(item)
    seen: set[frozenset[UUID]] = set()
    for together in by_word.values():
        if not 1 < len(together) <= COMMON:
            continue
        for one, other in combinations(together, 2):
            pair = frozenset((one.pk, other.pk))
            if pair not in seen and len(seen) < MOST_PAIRS * COMMON:
                seen.add(pair)
                if are_alike(one, other):
                    yield one, other


def are_alike(one: MemoryItem, other: MemoryItem) -> bool:
    """Of two people, or with other numbers, they are two matters: "gate 12" and "gate 14"."""
    if one.speaker != other.speaker or set(NUMBERS.findall(one.text)) != set(NUMBERS.findall(other.text)):
        return False
    words = read_words(one.text)
    if words == read_words(other.text):
        return bool(words)
    ours, theirs = read_stems(one.text), read_stems(other.text)
    if len(ours & theirs) < SHARED * len(ours | theirs):
        return False
    return judge_pair(read_statement(one.text), read_statement(other.text)) == "merge"
