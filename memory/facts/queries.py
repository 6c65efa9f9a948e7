"""Reads facts: lists as of a time, one with its evidence and history, and what stands behind memories."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import DurationField, ExpressionWrapper, F, Q, Value
from django.db.models.functions import Exp, Extract, Greatest

from memory.access.confinement import RowScope, ScopeFilter
from memory.access.scope import user_scope
from memory.claims.questions import AskedFor, read_question
from memory.facts.confidence import DECAY_A_DAY, LASTING_CATEGORIES, LASTING_RELATIONS, SECONDS_A_DAY
from memory.facts.keys import fold_key
from memory.facts.nearest import FACT_COLUMNS, MOST_IN_SLOT, list_value_parts, name_scope
from memory.language.folding import WORD
from memory.models import EndUser, Fact, FactEvent, FactEvidence, FactReview
from memory.models.facts import FactQuerySet, FactState, ReviewKind

# Never so, or nothing left of it: at no time current.
NEVER_HELD: Final = (FactState.RETRACTED, FactState.MERGED, FactState.FORGOTTEN)

# Of a question without an embedder: its words that are looked for, and the facts that are looked at.
MOST_WORDS: Final = 12
LEAST_WORD: Final = 3
MOST_READ: Final = 200
# How near a fact of the very relation is that no word of the question names.
ASKED_SHARE: Final = 0.6

ROW_OF_SLOT: Final = "(%s, %s, %s::timestamptz, %s, %s, %s, %s, %s::text[])"
# As `nearest.SLOT` and the statements of `recording` and `judgement`, of several slots at once: each is a message, and
# of a turn that tells three facts they were ten of nineteen. The sentences are looked for where a value may end alone.
FIND_SLOTS: Final = f"""
WITH asked (number, digest, said_at, subject, relation, value, holds_one, parts) AS (VALUES {{slots}}),
slot AS (
  SELECT asked.number, asked.holds_one, asked.value, held.* FROM asked CROSS JOIN LATERAL (
    SELECT {", ".join(FACT_COLUMNS)} FROM fact
    WHERE user_id = %s AND state = 'active' AND subject_key = asked.subject AND fact.relation = asked.relation
      AND agent_id = %s AND project_id = %s
      AND (asked.holds_one OR object_key = ANY(asked.parts) OR position(asked.value IN object_key) > 0)
    ORDER BY last_seen DESC, id LIMIT {MOST_IN_SLOT}
  ) held
)
SELECT asked.number, EXISTS (
    SELECT 1 FROM fact_tombstone gone
    WHERE gone.user_id = %s AND gone.digest = asked.digest AND gone.forgotten_at >= asked.said_at
  ), EXISTS (SELECT 1 FROM fact_review WHERE user_id = %s AND decision = ''),
  CASE WHEN slot.holds_one AND slot.object_key <> slot.value THEN (
    SELECT coalesce(json_agg(json_build_array(relation, subject_key, object_key)), '[]')::text FROM fact told
    WHERE told.user_id = %s AND md5(told.statement) = md5(slot.statement) AND told.statement = slot.statement
      AND told.id <> slot.id
  ) END, {", ".join(f"slot.{name}" for name in FACT_COLUMNS)}
FROM asked LEFT JOIN slot USING (number) ORDER BY asked.number, slot.last_seen DESC, slot.id
"""  # noqa: S608 -- columns of our own


class ToldSlot(NamedTuple):
    """What a fact of the same sentence is about."""

    relation: str
    subject: str
    value: str


@dataclass(frozen=True, slots=True)
class AskedSlot:
    """The slot of a statement on its way to a fact, and by which digest it may have been forgotten."""

    keys: tuple[str, str, str]
    digest: str
    said_at: datetime
    # Whether another value of the slot may end by it.
    holds_one: bool


@dataclass(slots=True)
class FoundSlots:
    """What is known of the slots of a turn, read at once; what the turn itself changes is taken out again.

    ``beside`` is what else the sentence of a fact told, by both. ``fresh`` are facts that the turn added, in its words.
    ``reworded`` are those that took words of the turn, with the words before. ``has_reviews``: ending a fact may settle
    a pair, and so move how far facts of other slots are believed.
    """

    forgotten: dict[AskedSlot, bool] = field(default_factory=dict)
    facts: dict[AskedSlot, list[Fact]] = field(default_factory=dict)
    beside: dict[tuple[UUID, str], list[ToldSlot]] = field(default_factory=dict)
    fresh: set[UUID] = field(default_factory=set)
    reworded: dict[UUID, str] = field(default_factory=dict)
    has_reviews: bool = True

    def drop_moved(self, fact: Fact) -> None:
        """Forget what was read of a slot in which a fact was written since."""
        slot = (fact.subject_key, fact.relation)
        for asked, held in list(self.facts.items()):
            if asked.keys[:2] == slot or any(one.pk == fact.pk for one in held):
                del self.facts[asked]

    def drop_sentences(self, *statements: str) -> None:
        self.beside = {key: told for key, told in self.beside.items() if key[1] not in statements}

    def drop_all(self) -> None:
        self.facts.clear()
        self.beside.clear()


# What was looked up for the turn whose statements are recorded.
_looked_up: ContextVar[FoundSlots | None] = ContextVar("looked_up_slots", default=None)


@contextmanager
def use_looked_up(found: FoundSlots) -> Iterator[None]:
    """Let what records and ends facts know what was read already."""
    token = _looked_up.set(found)
    try:
        yield
    finally:
        _looked_up.reset(token)


def current_look_up() -> FoundSlots | None:
    return _looked_up.get()


def find_slots(user: EndUser, asked: Sequence[AskedSlot], scope: RowScope) -> FoundSlots:
    """Look up the facts of all slots that a turn asks for. In the user's scope, under the lock of the facts."""
    found = FoundSlots()
    slots = list(dict.fromkeys(asked))
    if not slots:
        return found
    values: list[Any] = [value for number, one in enumerate(slots) for value in (number, *list_slot_values(one))]
    place = name_scope(scope)
    values += [user.pk, place["agent_id"], place["project_id"], user.pk, user.pk, user.pk]
    with connection.cursor() as cursor:
        cursor.execute(FIND_SLOTS.format(slots=", ".join([ROW_OF_SLOT] * len(slots))), values)
        read = cursor.fetchall()
    for number, is_forgotten, has_reviews, beside, *row in read:
        one = slots[number]
        found.forgotten[one], found.has_reviews = is_forgotten, has_reviews
        held = found.facts.setdefault(one, [])
        if row[FACT_COLUMNS.index("id")] is None:
            continue
        fact = Fact.from_db(connection.alias, FACT_COLUMNS, row)
        held.append(fact)
        if beside is not None:
            found.beside[fact.pk, fact.statement] = [ToldSlot(*told) for told in json.loads(beside)]
    return found


def list_slot_values(one: AskedSlot) -> list[Any]:
    return [one.digest, one.said_at, *one.keys, one.holds_one, list_value_parts(one.keys[-1])]


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Conditions that must all hold. With ``as_of`` the state is that of the time: what held then."""

    state: FactState | None = None
    relation: str = ""
    subject: str = ""
    min_confidence: float = 0.0
    as_of: datetime | None = None
    words: str = ""
    category: str = ""
    # The very agents and projects; those a reader sees are the transaction's to say.
    scope: ScopeFilter = field(default_factory=ScopeFilter)


def where_lasting() -> Q:
    lasting = Q(is_confirmed=True) | Q(bank_item_id__isnull=False)
    return lasting | Q(relation__in=LASTING_RELATIONS) | Q(category__in=LASTING_CATEGORIES)


def annotate_decayed(facts: FactQuerySet, now: datetime) -> Any:  # noqa: ANN401 -- a query set with one more column
    """Adds ``decayed``: the arithmetic of `confidence.decay_confidence`, in the database, so that a page is full."""
    age_s = Extract(ExpressionWrapper(Value(now) - F("evidence_at"), output_field=DurationField()), "epoch")
    days = Greatest(Value(0.0), age_s / Value(SECONDS_A_DAY))
    decayed = F("base_confidence") * Exp(Value(-DECAY_A_DAY) * days)
    return facts.annotate(decayed=decayed)


def filter_by_confidence(facts: FactQuerySet, least: float, now: datetime) -> FactQuerySet:
    held = Q(where_lasting(), base_confidence__gte=least) | Q(decayed__gte=least)
    found: FactQuerySet = annotate_decayed(facts, now).filter(held)
    return found


def select_worn(user: EndUser, least: float, now: datetime) -> FactQuerySet:
    """Current facts whose confidence has decayed below ``least``."""
    current = Fact.objects.for_user(user).active().exclude(where_lasting())
    worn: FactQuerySet = annotate_decayed(current, now).filter(decayed__lt=least)
    return worn


def where_held(as_of: datetime) -> Q:
    """What was true at a time, by what is known now."""
    return Q(valid_from__lte=as_of) & (Q(valid_to=None) | Q(valid_to__gt=as_of)) & ~Q(state__in=NEVER_HELD)


def select_facts(user: EndUser, wanted: FactFilter, now: datetime) -> FactQuerySet:
    facts = Fact.objects.for_user(user).defer("vector").filter(**wanted.scope.lookups)
    if wanted.as_of is not None:
        facts = facts.filter(where_held(wanted.as_of))
    if wanted.state is not None:
        facts = facts.filter(state=wanted.state)
    elif wanted.as_of is None:
        facts = facts.exclude(state=FactState.FORGOTTEN)
    if wanted.relation:
        facts = facts.filter(relation=wanted.relation)
    if wanted.subject:
        facts = facts.filter(subject_key=fold_key(wanted.subject))
    if wanted.category:
        facts = facts.filter(category=wanted.category)
    for word in wanted.words.split():
        facts = facts.filter(statement__icontains=word)
    believed_at = wanted.as_of or now
    return filter_by_confidence(facts, wanted.min_confidence, believed_at) if wanted.min_confidence > 0 else facts


def list_facts(
    user: EndUser, wanted: FactFilter, *, now: datetime, after: tuple[datetime, UUID] | None, limit: int
) -> list[Fact]:
    """Latest mention first. ``after`` is the place of the last one of the page before."""
    with user_scope(user):
        facts = select_facts(user, wanted, now)
        if after is not None:
            facts = facts.filter(Q(last_seen__lt=after[0]) | Q(last_seen=after[0], pk__gt=after[1]))
        return list(facts.order_by("-last_seen", "pk")[:limit])


def find_by_words(user: EndUser, question: str, limit: int) -> dict[UUID, float]:
    """Active facts that hold words of a question or tell a relation it asks for, with how much of it: for want of
    vectors. In the user's scope.
    """
    words = [word for word in WORD.findall(question.casefold()) if len(word) >= LEAST_WORD][:MOST_WORDS]
    asked = read_question(question)
    holds = Q(relation__in=asked.relations)
    for word in words:
        holds |= Q(statement__icontains=word)
    facts = Fact.objects.for_user(user).active().filter(holds).order_by("-last_seen", "pk")[:MOST_READ]
    found = {fact.pk: score_words(fact, words, asked) for fact in facts.defer("vector")}
    return dict(sorted(found.items(), key=lambda pair: -pair[1])[:limit])


def score_words(fact: Fact, words: Sequence[str], asked: AskedFor) -> float:
    said = fact.statement.casefold()
    share = sum(word in said for word in words) / max(1, len(words))
    is_asked = fact.relation in asked.relations and asked.may_mean(fact.relation, fact.object)
    return max(share, ASKED_SHARE) if is_asked else share


def get_fact(user: EndUser, fact_id: UUID) -> Fact | None:
    with user_scope(user):
        return Fact.objects.for_user(user).filter(pk=fact_id).defer("vector").first()


def list_evidence_of(user: EndUser, fact_ids: Collection[UUID]) -> dict[UUID, list[FactEvidence]]:
    """The evidence of each fact, latest first."""
    found: dict[UUID, list[FactEvidence]] = defaultdict(list)
    with user_scope(user):
        rows = FactEvidence.objects.filter(user=user, fact_id__in=list(fact_ids))
        for row in rows.order_by("-occurred_at", "-pk"):
            found[row.fact_id].append(row)
    return dict(found)


def list_fact_events(user: EndUser, fact_id: UUID) -> list[FactEvent]:
    """Newest first."""
    with user_scope(user):
        return list(FactEvent.objects.filter(user=user, fact_id=fact_id).order_by("-pk"))


def list_facts_of_memories(user: EndUser, memory_ids: Collection[UUID]) -> dict[UUID, list[Fact]]:
    """The facts that memories are evidence for, and those published as them; by memory. In the user's scope."""
    by_memory: dict[UUID, list[Fact]] = defaultdict(list)
    rows = FactEvidence.objects.filter(user=user, memory_id__in=list(memory_ids), stance=1)
    for row in rows.select_related("fact").defer("fact__vector").order_by("fact_id"):
        if row.memory_id is not None:
            by_memory[row.memory_id].append(row.fact)
    for fact in Fact.objects.for_user(user).filter(bank_item_id__in=list(memory_ids)).defer("vector"):
        if fact.bank_item_id is not None and fact not in by_memory[fact.bank_item_id]:
            by_memory[fact.bank_item_id].append(fact)
    return dict(by_memory)


def read_doubts(user: EndUser, fact_ids: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """By fact those that it likely took the place of, as far as that waits for a person. In the user's scope."""
    waiting = FactReview.objects.filter(user=user, decision="", kind=ReviewKind.CONTRADICTION, fact_id__in=fact_ids)
    doubts: dict[UUID, set[UUID]] = {}
    for newer, older in waiting.values_list("fact_id", "other_id") if fact_ids else ():
        doubts.setdefault(newer, set()).add(older)
    return doubts


def find_current(user: EndUser, facts: Sequence[Fact]) -> dict[UUID, Fact]:
    """The fact that holds now in the place of each superseded one, by the superseded one's id.

    Follows the chain: Leeds, then York, then Hull gives Hull for Leeds. In the user's scope.
    """
    found: dict[UUID, Fact] = {}
    next_of = {fact.pk: fact.superseded_by or fact.merged_into for fact in facts}
    reached = {target for target in next_of.values() if target}
    known: dict[UUID, Fact] = {}
    while reached:
        rows = Fact.objects.for_user(user).filter(pk__in=reached).defer("vector")
        fresh = {fact.pk: fact for fact in rows}
        known |= fresh
        reached = {
            target
            for fact in fresh.values()
            if (target := fact.superseded_by or fact.merged_into) and target not in known
        }
    for fact in facts:
        at = next_of[fact.pk]
        seen = {fact.pk}
        while at is not None and at in known and at not in seen:
            seen.add(at)
            if known[at].state == FactState.ACTIVE:
                found[fact.pk] = known[at]
                break
            at = known[at].superseded_by or known[at].merged_into
    return found
