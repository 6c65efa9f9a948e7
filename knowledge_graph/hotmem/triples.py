"""Triples by themselves: brought in in bulk, listed as of a time, and forgotten for good."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from knowledge_graph.hotmem.bullets import word_triple
from knowledge_graph.hotmem.learning import find_triple_harm
from knowledge_graph.models import HotThread, HotTurn
from memory.access.deferred_writes import defer_writes
from memory.access.scope import user_scope
from memory.claims.claim import SPEAKER
from memory.facts import changes
from memory.facts.drafts import FactDraft
from memory.facts.evidence import FactOrigin, find_facts_by_origin
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.queries import FactFilter, select_facts
from memory.facts.recording import FactEffect, RecordedFact, mark_unembedded, record_fact
from memory.guard import redact_secrets
from memory.lifecycle import curation, publishing
from memory.models import EndUser, Fact, FactEvidence, IdempotencyRecord, MemoryItem
from memory.models.facts import KEY_CHARS, STATEMENT_CHARS, EvidenceKind, FactState
from memory.tiers import Trust

CONFIDENCE: Final = 0.9
# Who speaks of themselves, however a client writes it.
SPEAKERS: Final = frozenset({"you", "i", "me", "user", "the user"})
REPEATED: Final = frozenset({FactEffect.REINFORCED, FactEffect.MERGED})
HOT_ROUTE: Final = "/hot/"


# A shorter name stands in every other word.
LEAST_NAME: Final = 3
MOST_NAMED: Final = 50


@dataclass(frozen=True, slots=True)
class ForgottenTriples:
    """How many facts were forgotten, and which memories still name what they said."""

    count: int
    named_in: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class GivenTriple:
    subject: str
    relation: str
    object: str
    occurred_at: datetime | None = None


@dataclass(slots=True)
class ImportCounts:
    stored: int = 0
    reinforced: int = 0
    skipped: int = 0


def import_triples(user: EndUser, triples: Sequence[GivenTriple], *, now: datetime, actor: str) -> ImportCounts:
    """Record triples in the order they held, in one transaction. The same triple of the same time counts once."""
    counts = ImportCounts()
    recorded: list[RecordedFact] = []
    ordered = sorted(map(clean_triple, triples), key=lambda one: one.occurred_at or now)
    origins = [name_origin(triple) for triple in ordered]
    with user_scope(user), defer_writes():
        changes.lock_facts(user)
        told = find_facts_by_origin(user, origins)
        for triple, origin in zip(ordered, origins, strict=True):
            if find_triple_harm((triple.subject, triple.relation, triple.object)):
                counts.skipped += 1
                continue
            told_with = told.setdefault(origin.ref_id, [])
            one = record_fact(user, draft_given(triple, now), origin, now=now, actor=actor, told_with=told_with)
            told_with += [one.fact] if one.fact is not None and one.fact not in told_with else []
            recorded.append(one)
            if one.fact is None:
                counts.skipped += 1
            elif one.effect in REPEATED:
                counts.reinforced += 1
            else:
                counts.stored += 1
        mark_unembedded(user, recorded, now)
        publishing.publish_facts(user, recorded, None, now=now, actor=actor)
    return counts


def clean_triple(triple: GivenTriple) -> GivenTriple:
    subject, value = redact_secrets(triple.subject.strip()).text, redact_secrets(triple.object.strip()).text
    subject = SPEAKER if subject.casefold() in SPEAKERS else subject
    return GivenTriple(subject[:KEY_CHARS], triple.relation, value[:KEY_CHARS], triple.occurred_at)


def draft_given(triple: GivenTriple, now: datetime) -> FactDraft:
    return FactDraft(
        statement=word_triple(triple.subject, triple.relation, triple.object)[:STATEMENT_CHARS],
        occurred_at=min(triple.occurred_at or now, now),
        confidence=CONFIDENCE,
        subject=triple.subject,
        relation=triple.relation,
        object=triple.object,
        is_quick=True,
        trust=Trust.USER,
    )


def name_origin(triple: GivenTriple) -> FactOrigin:
    """An origin made of the triple and its time: a repeated import finds it and adds nothing."""
    said_at = triple.occurred_at.isoformat() if triple.occurred_at else ""
    parts = (fold_key(triple.subject), triple.relation, fold_key(triple.object), said_at)
    return FactOrigin(EvidenceKind.IMPORT, uuid5(NAMESPACE_OID, "\x1f".join(parts)))


def list_triples(
    user: EndUser, wanted: FactFilter, *, now: datetime, after: tuple[datetime, UUID] | None, limit: int
) -> list[Fact]:
    """Facts with a relation, the latest mention first."""
    with user_scope(user):
        facts = select_facts(user, wanted, now).exclude(relation__in=OPEN_RELATIONS)
        if after is not None:
            facts = facts.filter(Q(last_seen__lt=after[0]) | Q(last_seen=after[0], pk__gt=after[1]))
        return list(facts.order_by("-last_seen", "pk")[:limit])


def forget_triples(
    user: EndUser, subject: str, relation: str | None, value: str | None, *, now: datetime, actor: str
) -> ForgottenTriples:
    """Forget facts for good, whatever their state: of a subject, of one of its slots, or of one value.

    A memory that tells more than they did stays, and is named: "my psychiatrist put me on lithium" tells of him too.
    """
    key = SPEAKER if subject.casefold().strip() in SPEAKERS else fold_key(subject)
    with user_scope(user):
        facts = Fact.objects.for_user(user).exclude(state=FactState.FORGOTTEN).filter(subject_key=key)
        if relation is not None:
            facts = facts.filter(relation=relation)
        if value is not None:
            facts = facts.filter(object_key=fold_key(value))
        ids, told = [], {key} - {SPEAKER} if relation is None else set()
        for fact_id, said in facts.values_list("pk", "object_key"):
            ids.append(fact_id)
            told.add(said)
        count = sum(curation.forget_fact(user, fact_id, now=now, actor=actor) for fact_id in ids)
        return ForgottenTriples(count, find_naming(user, told))


def find_naming(user: EndUser, names: Iterable[str]) -> list[UUID]:
    """The newest memories whose words name any of them. In the user's scope."""
    naming = [Q(text__icontains=name) for name in names if len(name) >= LEAST_NAME]
    if not naming:
        return []
    found = MemoryItem.objects.for_user(user).active().filter(reduce(or_, naming)).order_by("-created_at")
    return list(found.values_list("pk", flat=True)[:MOST_NAMED])


def forget_in_threads(user: EndUser, facts: Sequence[Fact]) -> None:
    """Take what told, or was told of, facts that are being forgotten out of the conversations. In the user's scope.

    Before the facts lose their words and evidence.
    """
    told = FactEvidence.objects.filter(user=user, fact__in=facts).values_list("ref_id", flat=True)
    naming = Q(pk__in=list(told)) | Q(exchange_id__in=list(told))
    for fact in facts:
        # Ids of a forgotten fact tell nothing.
        if fact.object:
            naming |= Q(text__icontains=fact.object) | Q(trace_text__icontains=fact.object)
    turns = HotTurn.objects.filter(user=user).annotate(trace_text=Cast("trace", TextField()))
    turns.filter(naming).delete()
    names = {key for fact in facts for key in (fact.subject_key, fact.object_key)}
    for thread in HotThread.objects.filter(user=user):
        if not names.isdisjoint(thread.mentions):
            thread.mentions = [name for name in thread.mentions if name not in names]
            thread.save(update_fields=["mentions"])
    drop_stored_answers(user)


def drop_stored_answers(user: EndUser) -> None:
    """Answers kept for repeated requests of the hot path: they hold bullets and messages. In the user's scope."""
    IdempotencyRecord.objects.filter(user=user, route__contains=HOT_ROUTE).delete()
