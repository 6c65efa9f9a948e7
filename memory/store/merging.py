"""Merges two bank items that say the same: the better wording is kept, the other becomes a version.

The better one is not under review, has the higher trust, then the higher quality, the higher Wilson bound, and finally
the later time. Trust decides before quality, because quality is the writer's own claim: a less trusted wording only
adds a mention, so a planted duplicate of quality 1.0 changes nothing.
"""

import re
import uuid
from collections.abc import Sequence
from datetime import datetime

from memory.access.confinement import RowScope
from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.language.text import hash_content
from memory.models import EndUser, MemoryItem, MemoryVersion
from memory.scoring import bank_quality, wilson_lower_bound
from memory.store import rows
from memory.store.admission import NewMemory
from memory.tiers import MAX_TAGS, Tier, Trust

NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
# What ends a sentence and changes nothing of it; a question is another.
ENDS = ".!;…"
MERGE_REASON = "says the same as an existing item"
SAME_MATTER = "tell the same matter"
NO_EVIDENCE = wilson_lower_bound(0, 0, 0)


def find_bank_duplicate(
    user: EndUser, text: str, similar_to: uuid.UUID | None, scope: RowScope, besides: uuid.UUID | None = None
) -> MemoryItem | None:
    """The active duplicate in the bank: the same words, or a near neighbour that contains the same numbers.

    Of the very scope: what is said of two projects stays two memories, however alike.
    """
    lock_for_transaction("bank", user)
    active = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
    active = active.filter(agent_id=scope.agent_id, project_id=scope.project_id)
    if besides is not None:
        active = active.exclude(pk=besides)
    # Locked, so that the merge starts from the result of any revision or archiving in progress.
    bank = active.select_for_update(no_key=True)
    if same := bank.filter(content_hash__in=list_hashes(text)).order_by("created_at").first():
        return same
    near = bank.filter(pk=similar_to).first() if similar_to else None
    # "Gate 12" and "gate 14" have similar vectors but are two facts.
    return near if near and set(NUMBERS.findall(near.text)) == set(NUMBERS.findall(text)) else None


def list_hashes(text: str) -> list[str]:
    """Of the same words with each mark that may end them: "I prefer tabs" and "I prefer tabs!" say one thing."""
    bare = text.rstrip(f"{ENDS} \n") or text
    return [hash_content(text), *(hash_content(f"{bare}{mark}") for mark in ("", *ENDS))]


def merge_into_item(item: MemoryItem, new: NewMemory, *, now: datetime, actor: str) -> MemoryItem:
    """Merge a repeated statement into an existing item, which keeps its id."""
    trust = new.trust or Trust.USER
    is_better = is_better_wording(item, new, trust)
    before = {"text": item.text, "mentions": item.mentions, "trust": Trust(item.trust).name.lower()}
    if is_better:
        rows.keep_version(item, "replaced", now)
    else:
        rows.keep_version(item, "merged", now, wording=new, principal=actor)
    item.mentions += 1
    item.always_inject = item.always_inject or (new.always_inject and trust >= item.trust)
    own, brought = (list(new.tags), item.tags) if trust > item.trust else (item.tags, list(new.tags))
    item.tags = unite_tags(own, brought) if trust == item.trust else own
    if is_better:
        adopt_wording(item, new, trust, actor)
    rows.set_text(item, new.text if is_better else item.text)
    lengthen_time(item, new.expires_at)
    item.updated_at = now
    item.save()
    after = {"mentions": item.mentions, "trust": Trust(item.trust).name.lower()}
    rows.record_event(item, "merged", reason=MERGE_REASON, before=before, after=after, now=now, actor=actor)
    rows.mark_index_due_if_pending(item, now)
    rows.announce_change(item.user, "revised", [item])
    return item


def lengthen_time(item: MemoryItem, until: datetime | None) -> None:
    """An item that was given an end is kept as long as the later of the two; told without one, it has none."""
    if item.is_expiry_given and item.expires_at is not None:
        item.expires_at = max(item.expires_at, until) if until else None
        item.is_expiry_given = until is not None


def is_better_wording(item: MemoryItem, new: NewMemory, trust: int) -> bool:
    """Whether the new wording is the better one. The same words again are not better."""
    # A new wording has no outcomes, so it is compared as one without evidence.
    offered = (not new.needs_review, trust, bank_quality(new.importance, new.confidence), NO_EVIDENCE)
    current = rank_wording(item)
    return offered > current or (offered == current and hash_content(new.text) != item.content_hash)


def rank_wording(item: MemoryItem) -> tuple[bool, int, float, float]:
    wilson = wilson_lower_bound(item.worked, item.failed, item.partial)
    return not item.review, item.trust, bank_quality(item.importance, item.confidence), wilson


def rank_item(item: MemoryItem) -> tuple[tuple[bool, int, float, float], datetime, uuid.UUID]:
    return rank_wording(item), item.updated_at, item.pk


def adopt_wording(item: MemoryItem, new: NewMemory, trust: int, actor: str) -> None:
    """Give the row the new wording and its author; the old wording and its author are kept as a version."""
    item.importance, item.confidence = new.importance, new.confidence
    item.metadata = {**item.metadata, **new.metadata} if trust == item.trust else dict(new.metadata)
    item.source_type, item.source, item.thread_id = new.source_type, new.source, new.thread_id
    item.trust, item.principal, item.parents = trust, actor, list(new.parents)
    item.warnings, item.review = list(new.warnings), new.needs_review


def unite_tags(own: list[str], brought: list[str]) -> list[str]:
    return list(dict.fromkeys([*own, *brought]))[:MAX_TAGS]


def merge_items(user: EndUser, one: MemoryItem, other: MemoryItem, *, now: datetime, actor: str) -> MemoryItem:
    """Merge two existing rows: the better stays, the other is archived and becomes a version of it."""
    winner, loser = sorted([one, other], key=rank_item, reverse=True)
    before = {"mentions": winner.mentions}
    # The loser's wording survives as a version of the winner: a purge or an edit may need it again.
    rows.keep_version(winner, "merged", now, wording=loser)
    winner.mentions += loser.mentions
    if loser.trust == winner.trust:
        winner.always_inject = winner.always_inject or loser.always_inject
        winner.tags = unite_tags(winner.tags, loser.tags)
    lengthen_time(winner, loser.expires_at)
    rows.set_text(winner, winner.text)
    winner.updated_at = now
    winner.save()
    rows.mark_archived(loser, now)
    loser.save()
    after = {"mentions": winner.mentions, "merged": str(loser.pk)}
    rows.record_event(winner, "merged", reason=MERGE_REASON, before=before, after=after, now=now, actor=actor)
    archived = {"status": loser.status, "merged_into": str(winner.pk)}
    rows.record_event(
        loser, "archived", reason=MERGE_REASON, before={"status": "active"}, after=archived, now=now, actor=actor
    )  # fmt: skip
    rows.mark_index_due(user, now)
    rows.announce_change(user, "archived", [loser])
    rows.announce_change(user, "revised", [winner])
    return winner


def part_items(
    winner: MemoryItem,
    loser: MemoryItem,
    *,
    mentions: int,
    own_tags: int,
    always_inject: bool,
    now: datetime,
    actor: str,
) -> None:
    """Take back a merge of two rows; the loser is restored by the caller. Both are locked, in the user's scope.

    ``mentions`` are those that the loser brought, ``own_tags`` how many of the first tags the winner had before.
    """
    before = {"mentions": winner.mentions}
    winner.mentions = max(1, winner.mentions - mentions)
    winner.tags = [tag for place, tag in enumerate(winner.tags) if place < own_tags or tag not in loser.tags]
    winner.always_inject, winner.updated_at = always_inject, now
    winner.save()
    # Apart again, so that deleting one leaves nothing of it in the other.
    MemoryVersion.objects.filter(user=winner.user, item=winner, reason="merged", text=loser.text).delete()
    after = {"mentions": winner.mentions, "parted": str(loser.pk)}
    rows.record_event(winner, "parted", reason="taken back", before=before, after=after, now=now, actor=actor)
    rows.mark_index_due_if_pending(winner, now)
    rows.announce_change(winner.user, "revised", [winner])


def merge_cluster(
    user: EndUser, cluster: Sequence[MemoryItem], text: str, *, trust: Trust, now: datetime, actor: str
) -> MemoryItem | None:
    """One memory with this text in place of several: the best keeps its id, the others are archived.

    Every wording is kept as a version, and the others become parents: what is purged of them goes from the text as
    well. None, and nothing is changed, where one of them is no longer as it was read.
    """
    with user_scope(user):
        lock_for_transaction("bank", user)
        rows_now = MemoryItem.objects.for_user(user).active().filter(pk__in=[item.pk for item in cluster])
        current = {item.pk: item for item in rows_now.select_for_update(no_key=True).order_by("pk")}
        if any(item.pk not in current or current[item.pk].content_hash != item.content_hash for item in cluster):
            return None
        winner, *losers = sorted(current.values(), key=rank_item, reverse=True)
        before = {"text": winner.text, "mentions": winner.mentions, "trust": Trust(winner.trust).name.lower()}
        rows.keep_version(winner, "merged", now)
        for loser in losers:
            rows.keep_version(winner, "merged", now, wording=loser)
            winner.mentions += loser.mentions
            winner.tags = unite_tags(winner.tags, loser.tags)
            lengthen_time(winner, loser.expires_at)
            rows.mark_archived(loser, now)
            loser.save()
            archived = {"status": loser.status, "merged_into": str(winner.pk)}
            rows.record_event(
                loser, "archived", reason=SAME_MATTER, before={"status": "active"}, after=archived, now=now, actor=actor
            )  # fmt: skip
        winner.parents = list(dict.fromkeys([*winner.parents, *(loser.pk for loser in losers)]))
        winner.trust, winner.principal = min(winner.trust, trust), actor
        rows.set_text(winner, text)
        winner.updated_at = now
        winner.save()
        after = {"mentions": winner.mentions, "merged": [str(loser.pk) for loser in losers]}
        rows.record_event(winner, "merged", reason=SAME_MATTER, before=before, after=after, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.announce_change(user, "archived", losers)
        rows.announce_change(user, "revised", [winner])
        rows.announce_wording(user, [winner])
    return winner
