"""Reads what a person says into facts: from a turn, an import, or a statement of its own.

In two steps, as no transaction may be open while other services are asked: `draft_facts` reads, embeds and looks for
duplicates; `learn_facts` records and publishes, in the caller's transaction.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog
from django.db.models import Exists, F, OuterRef, Q

from memory.access.confinement import EVERYTHING, RowScope, confine_to, current_scope
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts import profile
from memory.facts.antecedents import list_antecedents
from memory.facts.drafts import FactDraft
from memory.facts.evidence import FactOrigin
from memory.facts.pairs import read_statement
from memory.facts.personal import is_personal
from memory.facts.profile import ProfileFact, find_facts_of_other
from memory.facts.recording import RecordedFact, record_fact
from memory.indexes.answering import build_question_embedder
from memory.inference.base import Vector
from memory.language.analysis import extract_terms
from memory.lifecycle import publishing
from memory.lifecycle.publishing import Publication
from memory.models import EndUser, Fact, FactEvidence, MemoryItem
from memory.models.among import IsAmong
from memory.models.facts import EvidenceKind
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.tiers import Tier, Trust

logger = structlog.get_logger(__name__)

DEADLINE_S: Final = 30.0
# Who facts are read by, in events and as the author of what is published.
ACTOR: Final = "profile"
BANK_ITEMS_AT_ONCE: Final = 50
# What the reader looks at before a turn.
TURNS_BEFORE: Final = 4


@dataclass(frozen=True, slots=True)
class SpokenText:
    """What a person said. ``previous`` are their last turns in the thread, oldest first."""

    text: str
    said_at: datetime
    thread_id: str = ""
    memory_id: uuid.UUID | None = None
    previous: Sequence[str] = ()
    # Whether what is the person's own is kept as their own though it was said in an agent's or a project's scope.
    may_leave: bool = False
    # What the assistant had asked back, and the talk that led to it.
    asked: str = ""
    lead: str = ""
    # Who said it, where it was somebody else: "Bob". The turns before are theirs then.
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class DraftedStatement:
    """One statement: the facts in it, and how the bank would hold it, None where the bank refuses it."""

    drafts: Sequence[FactDraft]
    publication: Publication | None
    # Where it belongs.
    scope: RowScope = field(default_factory=current_scope)

    @property
    def is_turn(self) -> bool:
        """Whether it is all that a turn tells, and not one statement of it."""
        return any(draft.is_turn for draft in self.drafts)


@dataclass(slots=True)
class LearnedFacts:
    recorded: list[RecordedFact] = field(default_factory=list)
    # Bank items that are new.
    published: list[uuid.UUID] = field(default_factory=list)


def draft_facts(user: EndUser, spoken: SpokenText, source: dict[str, str]) -> list[DraftedStatement]:
    """What the person's words hold true. ``source`` is written into what is published."""
    named = list_antecedents(user, f"{spoken.asked} {spoken.text}".strip(), spoken.previous)
    previous = [*named, *spoken.previous[len(named) - TURNS_BEFORE :]]
    found = find_facts(user, spoken, previous, with_remarks=True)
    if not (spoken.may_leave and current_scope()):
        return draft_profile_facts(user, found, spoken, source)
    own = [fact for fact in found if is_personal(fact)]
    with confine_to(EVERYTHING):
        drafted = draft_profile_facts(user, own, spoken, source)
    return [*drafted, *draft_profile_facts(user, [fact for fact in found if fact not in own], spoken, source)]


def find_facts(
    user: EndUser, spoken: SpokenText, previous: Sequence[str], *, with_remarks: bool = False
) -> Sequence[ProfileFact]:
    """What the words hold true of the person, or of who else said them."""
    if spoken.speaker:
        return find_facts_of_other(spoken.speaker, spoken.text, previous, asked=spoken.asked, lead=spoken.lead)
    return profile.detect_profile_facts(
        spoken.text,
        Deadline(DEADLINE_S),
        list(previous),
        with_remarks=with_remarks,
        asked=spoken.asked,
        lead=spoken.lead,
        user_id=user.pk,
    )


def draft_profile_facts(
    user: EndUser | None, found: Sequence[ProfileFact], spoken: SpokenText, source: dict[str, str]
) -> list[DraftedStatement]:
    if not found:
        return []
    vectors, model = embed_statements([fact.statement for fact in found])
    drafted = []
    for fact, vector in zip(found, vectors, strict=True):
        publication = draft_publication(user, fact, vector, spoken, source)
        drafted.append(DraftedStatement(build_drafts(fact, spoken, vector, model), publication))
    return drafted


def draft_publication(
    user: EndUser | None, fact: ProfileFact, vector: Vector | None, spoken: SpokenText, source: dict[str, str]
) -> Publication | None:
    # The bank holds what concerns the person, and somebody else spoke of themselves.
    if spoken.speaker:
        return None
    return publishing.draft_publication(
        user, fact, vector, source, said_at=spoken.said_at, thread_id=spoken.thread_id, memory_id=spoken.memory_id
    )


def embed_statements(statements: Sequence[str]) -> tuple[list[Vector | None], str]:
    """One call for all. Without an embedder facts are recorded all the same, and embedded later."""
    deadline = Deadline(memory_conf().deadlines.default_s)
    service = build_question_embedder(deadline)
    try:
        return list(service.embed_passages(list(statements), deadline)), service.model
    except Unavailable as error:
        logger.info("facts recorded without vectors", dependency=error.dependency, reason=error.reason)
        return [None] * len(statements), ""


def build_drafts(fact: ProfileFact, spoken: SpokenText, vector: Vector | None, model: str) -> list[FactDraft]:
    """The facts of one statement: one for each of its claims, or what the statement itself reads as."""
    given = {
        "occurred_at": spoken.said_at,
        "turn": spoken.text,
        "confidence": fact.confidence,
        "category": fact.field,
        "trust": fact.trust,
        "vector": vector,
        "model": model,
    }
    if fact.claims:
        is_turn = fact.is_turn
        return [FactDraft.from_claim(claim, fact.statement, is_turn=is_turn, **given) for claim in fact.claims]
    return [FactDraft.from_pair(read_statement(fact.statement), **given)]


def learn_facts(
    user: EndUser, drafted: Sequence[DraftedStatement], origin: FactOrigin, *, now: datetime, actor: str = ACTOR
) -> LearnedFacts:
    """Record the facts and publish them. In the user's scope; settle the source in the same transaction."""
    learned = LearnedFacts()
    whole = find_whole(drafted)
    for statement in drafted:
        if statement.is_turn and changes_known(learned.recorded):
            continue
        recorded = [record_fact(user, draft, origin, now=now, actor=actor) for draft in statement.drafts]
        learned.recorded += recorded
        publication = whole if whole is not None and changes_known(recorded) else statement.publication
        published = publishing.publish_facts(user, recorded, publication, now=now, actor=actor)
        learned.published += [published] if published else []
    if learned.published:
        publishing.make_room(user, learned.published, now=now)
    return learned


def find_whole(drafted: Sequence[DraftedStatement]) -> Publication | None:
    """The turn as the bank would hold it, where it tells more than its statements do: the new value is often told in
    another clause than the change."""
    turn = next((one for one in drafted if one.is_turn), None)
    if turn is None:
        return None
    told = {word for draft in turn.drafts for word in extract_terms(draft.statement)}
    stated = {
        word
        for one in drafted
        if not one.is_turn and one.publication is not None
        for draft in one.drafts
        if not draft.is_remark
        for word in extract_terms(draft.statement)
    }
    return turn.publication if told - stated else None


def changes_known(recorded: Sequence[RecordedFact]) -> bool:
    """Whether a statement ended something that was known, or likely did."""
    return any(one.closed or one.review is not None or one.about is not None for one in recorded)


def list_unread_bank_items(user: EndUser, limit: int, *, written_only: bool = False) -> list[MemoryItem]:
    """Active bank items that no fact stands behind: what people and tools wrote there. In the user's scope.

    Without ``written_only`` also what the product published before it kept facts; not what it published of a fact that
    stands in another item by now: read again, that would hold anew what may have ended since.
    """
    linked = Fact.objects.for_user(user).filter(bank_item_id__isnull=False).values("bank_item_id")
    read = FactEvidence.objects.filter(user=user, kind=EvidenceKind.BANK).values("ref_id")
    unread = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK, review=False)
    if written_only:
        unread = unread.filter(publishing.WRITTEN)
    told = FactEvidence.objects.filter(user=user, memory_id__isnull=False)
    told = told.filter(IsAmong(F("memory_id"), OuterRef("parents")))
    unread = unread.exclude(Q(Exists(told), source__kind=publishing.KIND))
    return list(unread.exclude(pk__in=linked).exclude(pk__in=read).order_by("occurred_at", "pk")[:limit])


def learn_bank_items(
    user: EndUser, *, now: datetime, limit: int = BANK_ITEMS_AT_ONCE, written_only: bool = False
) -> int:
    """Read bank items into facts, so that what is said later is held against them. Returns how many were read."""
    with user_scope(user):
        items = list_unread_bank_items(user, limit, written_only=written_only)
    if not items:
        return 0
    vectors, model = embed_statements([item.text for item in items])
    with user_scope(user):
        for item, vector in zip(items, vectors, strict=True):
            draft = FactDraft.from_pair(
                read_statement(item.text),
                occurred_at=item.occurred_at,
                confidence=item.confidence,
                category=item.tags[0] if item.tags else "",
                trust=Trust(item.trust),
                vector=vector,
                model=model,
            )
            origin = FactOrigin(EvidenceKind.BANK, item.pk, item.pk, item.thread_id, RowScope.of(item))
            publishing.link_bank_item(user, item, record_fact(user, draft, origin, now=now, actor=ACTOR), now=now)
    return len(items)
