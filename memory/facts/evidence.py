"""What speaks for facts: adding it, and taking it along when its memory goes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Count

from memory.access.confinement import RowScope, current_scope
from memory.access.deferred_writes import update_later, write_later
from memory.facts.confidence import add_support, decay_confidence, is_lasting
from memory.models import EndUser, Fact, FactEvent, FactEvidence
from memory.models.facts import EvidenceKind, FactState

ADD_EVIDENCE: Final = """
INSERT INTO fact_evidence (user_id, fact_id, kind, ref_id, memory_id, thread_id, occurred_at, stance, step)
VALUES (%s, %s, %s, %s, %s, %s, %s, 1, %s) ON CONFLICT (user_id, fact_id, kind, ref_id) DO NOTHING
"""


# What another mention moves of a fact.
REINFORCED: Final = (
    "base_confidence", "evidence_at", "evidence_count", "first_seen", "valid_from", "last_seen", "updated_at",
    "revision",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """Where a statement comes from. ``ref_id`` names it once: reading it again adds nothing."""

    kind: EvidenceKind
    ref_id: UUID
    memory_id: UUID | None = None
    thread_id: str = ""
    # What is told of an agent or a project is held against what is known of it, and of nothing else.
    scope: RowScope = field(default_factory=current_scope)


def compute_confidence(fact: Fact, now: datetime) -> float:
    """How far the fact is believed at a time, 0..1."""
    is_published = fact.bank_item_id is not None
    if is_lasting(fact.relation, fact.category, is_confirmed=fact.is_confirmed, is_published=is_published):
        return fact.base_confidence
    return decay_confidence(fact.base_confidence, fact.evidence_at, now)


def find_facts_of(user: EndUser, origin: FactOrigin) -> list[Fact]:
    """The facts that something was evidence of already, whatever became of them."""
    return list(
        Fact.objects.for_user(user)
        .filter(evidence__kind=origin.kind, evidence__ref_id=origin.ref_id, evidence__user=user)
        .defer("vector")
        .distinct()
    )


def find_facts_by_origin(user: EndUser, origins: Collection[FactOrigin]) -> dict[UUID, list[Fact]]:
    """The same for many origins of one kind, by their ``ref_id``: one by one they took a fifth of an import."""
    if not origins:
        return {}
    kind = {origin.kind for origin in origins}.pop()
    rows = FactEvidence.objects.filter(user=user, kind=kind, ref_id__in={origin.ref_id for origin in origins})
    refs = list(rows.values_list("ref_id", "fact_id"))
    facts = Fact.objects.for_user(user).defer("vector").in_bulk({fact_id for _, fact_id in refs})
    found: dict[UUID, list[Fact]] = {}
    for ref_id, fact_id in refs:
        found.setdefault(ref_id, []).append(facts[fact_id])
    return found


def add_evidence(fact: Fact, origin: FactOrigin, step: float, occurred_at: datetime) -> bool:
    """False when this very thing is evidence for it already."""
    with connection.cursor() as cursor:
        cursor.execute(ADD_EVIDENCE, list_evidence_values(fact, origin, step, occurred_at))
        return bool(cursor.rowcount)


def begin_evidence(fact: Fact, origin: FactOrigin, step: float, occurred_at: datetime) -> None:
    """What is known not to be evidence for it already, as nothing is for a new fact: nobody waits for the answer."""
    write_later(ADD_EVIDENCE, list_evidence_values(fact, origin, step, occurred_at))


def list_evidence_values(fact: Fact, origin: FactOrigin, step: float, occurred_at: datetime) -> list[Any]:
    where = origin.kind.value, origin.ref_id, origin.memory_id, origin.thread_id
    return [fact.user_id, fact.pk, *where, occurred_at, step]


def reinforce_fact(
    fact: Fact, origin: FactOrigin, step: float, occurred_at: datetime, now: datetime, *, is_first: bool = False
) -> bool:
    """One more mention, of which is known that it ``is_first`` of its origin, or that is asked for. The confidence
    decayed until then is what it is added to."""
    if is_first:
        begin_evidence(fact, origin, step, occurred_at)
    elif not add_evidence(fact, origin, step, occurred_at):
        return False
    at = max(fact.evidence_at, occurred_at)
    fact.base_confidence = add_support(compute_confidence(fact, at), step)
    fact.evidence_at = at
    fact.evidence_count += 1
    fact.first_seen = min(fact.first_seen, occurred_at)
    fact.valid_from = min(fact.valid_from or occurred_at, occurred_at)
    fact.last_seen = max(fact.last_seen, occurred_at)
    fact.updated_at = now
    fact.revision += 1
    update_later(fact, REINFORCED)
    return True


def remove_evidence_of(user: EndUser, memory_ids: Sequence[UUID]) -> list[Fact]:
    """Take along the evidence of memories that are deleted.

    Returns the facts that have none left. One that a person confirmed or stated by itself has evidence of its own.
    """
    gone = FactEvidence.objects.filter(user=user, memory_id__in=list(memory_ids))
    concerned = list(gone.values_list("fact_id", flat=True).distinct())
    if not concerned:
        return []
    removed = set(gone.values_list("pk", flat=True))
    gone.delete()
    merged = find_bare_merged(user, removed)
    left = dict(
        FactEvidence.objects.filter(user=user, fact_id__in=concerned)
        .values_list("fact_id")
        .annotate(number=Count("id"))
    )
    for fact_id, number in left.items():
        Fact.objects.for_user(user).filter(pk=fact_id).update(evidence_count=number)
    without = [*merged, *(fact_id for fact_id in concerned if fact_id not in left)]
    return list(Fact.objects.for_user(user).filter(pk__in=without).defer("vector"))


def drop_facts(user: EndUser, facts: Sequence[Fact]) -> None:
    """Without a trace, as nothing speaks for them any more. What still names one as its successor names none."""
    ids = [fact.pk for fact in facts]
    Fact.objects.for_user(user).filter(superseded_by__in=ids).update(superseded_by=None)
    Fact.objects.for_user(user).filter(pk__in=ids).delete()


def find_bare_merged(user: EndUser, removed: Collection[int]) -> list[UUID]:
    """Facts merged into others of which every piece of evidence is gone: their words go as well."""
    events = FactEvent.objects.filter(user=user, kind="merged", after__has_key="evidence")
    moved = {UUID(after["merged"]): set(after["evidence"]) for after in events.values_list("after", flat=True)}
    touched = {fact_id: rows for fact_id, rows in moved.items() if not rows.isdisjoint(removed)}
    kept = set(
        FactEvidence.objects.filter(user=user, pk__in=set().union(*touched.values())).values_list("pk", flat=True)
    )
    own = set(FactEvidence.objects.filter(user=user, fact_id__in=touched).values_list("fact_id", flat=True))
    bare = [fact_id for fact_id, rows in touched.items() if fact_id not in own and rows.isdisjoint(kept)]
    merged = Fact.objects.for_user(user).filter(pk__in=bare, state=FactState.MERGED)
    return list(merged.values_list("pk", flat=True))


def detach_memories(user: EndUser, memory_ids: Sequence[UUID]) -> None:
    """Keep the facts of memories that only grew too old: their evidence stays, without the memory."""
    FactEvidence.objects.filter(user=user, memory_id__in=list(memory_ids)).update(memory_id=None)
