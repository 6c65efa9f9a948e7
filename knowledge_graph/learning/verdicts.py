"""Learns from verdicts: tiers per concept, solutions per problem, the usefulness of documents.

Verdicts are signed ledger lines, so that a replaced one is reversed under the same keys. The line and the counters
change in one transaction, which makes learning exactly-once even if a message is delivered twice.
"""

import hashlib
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from knowledge_graph.extraction.concepts import ExtractedConcept, extract_concepts, select_problem_keys
from knowledge_graph.extraction.topics import select_parts, select_topics
from knowledge_graph.learning.counters import DOCUMENTS, ROUTING, VERDICTS, Counts, add_concepts, add_solutions
from knowledge_graph.learning.forgetting import drop_lost_cues, forget_problems
from knowledge_graph.models import KEY_CHARS, PREVIEW_CHARS, Lesson, SolutionCue
from knowledge_graph.work import lock_graphs
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, MemoryItem
from memory.tiers import Outcome, Tier
from outcomes.models import OutcomeEvent

# Verdicts of one transaction, so that the lock on the user's graphs is never held for long.
BATCH = 50
READ_ITEMS = 3
CONCEPTS_OF_ITEM = 6
LONGEST_ITEM_READ = 500
# These have no score of their own, so what helped is counted here.
DOCUMENT_TIERS = frozenset({Tier.BOOKS.value, Tier.MEMORY_BANK.value})
# A question of one concept is not recognised as a problem.
SHORTEST_PROBLEM = 2


@dataclass(slots=True)
class LearnedBatch:
    """The sum of a batch of verdicts."""

    labels: dict[str, ExtractedConcept] = field(default_factory=dict)
    concept_uses: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    topic_votes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    used_at: dict[str, datetime] = field(default_factory=dict)
    routing: dict[tuple[str, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    documents: dict[tuple[uuid.UUID, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    solutions: dict[tuple[str, uuid.UUID], Counts] = field(default_factory=lambda: defaultdict(Counts))
    problems: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    tiers: dict[uuid.UUID, str] = field(default_factory=dict)


def learn_outcomes(user: EndUser, *, now: datetime, limit: int = BATCH) -> int:
    """Learn from the oldest verdicts not yet learned. Returns how many."""
    with user_scope(user):
        lock_graphs(user)
        unlearned = OutcomeEvent.objects.filter(user=user, learned_at__isnull=True)
        events = list(unlearned.order_by("id")[:limit])
        if not events:
            return 0
        learned = LearnedBatch()
        lessons = pop_lessons(user, events)
        texts = load_texts(user, events)
        new: dict[int, Lesson] = {}
        for event in events:
            if event.sign < 0:
                lesson = new.pop(event.reverts or 0, None) or lessons.get(event.reverts or 0)
                recall_problem(event, learned)
            else:
                lesson = new[event.pk] = build_lesson(user, event, texts, learned)
            if lesson is not None:
                count_verdict(event, lesson, learned)
        Lesson.objects.filter(user=user, pk__in=[row.pk for row in lessons.values()]).delete()
        Lesson.objects.bulk_create(new.values())
        write_batch(user, learned)
        OutcomeEvent.objects.filter(user=user, pk__in=[event.pk for event in events]).update(learned_at=now)
    return len(events)


def pop_lessons(user: EndUser, events: Sequence[OutcomeEvent]) -> dict[int, Lesson]:
    reverted = [event.reverts for event in events if event.sign < 0 and event.reverts]
    return {row.event_id: row for row in Lesson.objects.filter(user=user, event_id__in=reverted)}


def unlearn_forgotten(user: EndUser) -> int:
    """Reverse verdicts whose question was deleted. Returns how many. Needs the user's scope and the graphs' lock."""
    # Whoever has a question deleted wants its words gone, also as concepts.
    silent = OutcomeEvent.objects.filter(user=user, query="", exchange_id__isnull=False)
    lessons = list(Lesson.objects.filter(user=user, event_id__in=silent.values("pk")).exclude(keys=[]))
    if not lessons:
        return 0
    events = OutcomeEvent.objects.in_bulk([lesson.event_id for lesson in lessons])
    learned = LearnedBatch()
    for lesson in lessons:
        count_concepts(events[lesson.event_id], lesson.keys, -1, learned)
    ROUTING.add(user, learned.routing)
    add_concepts(user, learned.concept_uses, {}, learned.used_at)
    forget_problems(user, [lesson.signature for lesson in lessons])
    # The empty lesson is kept: if the verdict is replaced later, there is nothing to reverse.
    Lesson.objects.filter(user=user, pk__in=[lesson.pk for lesson in lessons]).update(keys=[], signature="")
    return len(lessons)


def load_texts(user: EndUser, events: Sequence[OutcomeEvent]) -> dict[uuid.UUID, str]:
    """The words of the memories the verdicts are about, of those that still exist."""
    ids = {item_id for event in events if event.sign > 0 for item_id, _ in read_memory_tiers(event)[:READ_ITEMS]}
    rows = MemoryItem.objects.for_user(user).filter(pk__in=ids).values_list("pk", "text")
    return {item_id: text[:LONGEST_ITEM_READ] for item_id, text in rows}


def read_memory_tiers(event: OutcomeEvent) -> list[tuple[uuid.UUID, str]]:
    """The memories of a verdict with the tiers of the moment."""
    return [(uuid.UUID(str(item_id)), str(tier)) for item_id, tier, *_ in event.memories]


def build_lesson(user: EndUser, event: OutcomeEvent, texts: dict[uuid.UUID, str], learned: LearnedBatch) -> Lesson:
    """The concepts of the question and the first of its memories."""
    question_concepts = extract_concepts(event.query)
    found = dict.fromkeys(question_concepts)
    vote_on_topics(event.query, question_concepts, learned)
    for item_id, _ in read_memory_tiers(event)[:READ_ITEMS]:
        words = [one for one in extract_concepts(texts.get(item_id, "")) if " " not in one.key]
        found.update(dict.fromkeys(words[:CONCEPTS_OF_ITEM]))
        vote_on_topics(texts.get(item_id, ""), words[:CONCEPTS_OF_ITEM], learned)
    concepts = {one.key: one for one in reversed(found) if len(one.key) <= KEY_CHARS}
    learned.labels.update(concepts)
    return Lesson(user=user, event_id=event.pk, keys=sorted(concepts), signature=recall_problem(event, learned))


def vote_on_topics(text: str, concepts: Iterable[ExtractedConcept], learned: LearnedBatch) -> None:
    topics, parts = select_topics(text), select_parts(text)
    for concept in concepts:
        # Half a name of code is no evidence either way; without any vote it is no node.
        if concept.key in parts:
            continue
        learned.topic_votes[concept.key] += 1 if concept.key in topics else -1


def recall_problem(event: OutcomeEvent, learned: LearnedBatch) -> str:
    """The signature of the problem a question poses; empty when it says too little to be known again."""
    problem = select_problem_keys([one.key for one in extract_concepts(event.query)])
    if len(problem) < SHORTEST_PROBLEM:
        return ""
    signature = hashlib.sha256("\x00".join(problem).encode()).hexdigest()
    learned.problems[signature] = (problem, event.query)
    return signature


def count_verdict(event: OutcomeEvent, lesson: Lesson, learned: LearnedBatch) -> None:
    """Add one verdict, or take it back."""
    memories = read_memory_tiers(event)
    count_concepts(event, lesson.keys, event.sign, learned)
    if event.outcome == Outcome.UNKNOWN or not memories:
        return
    # A verdict on everything that was shown is evidence for each memory in part only.
    share = event.sign / len(memories) if event.whole else float(event.sign)
    for item_id, tier in memories:
        learned.tiers[item_id] = tier
        if tier in DOCUMENT_TIERS:
            learned.documents[item_id, tier].add(event.outcome, event.sign, event.at)
        if lesson.signature in learned.problems and memory_conf().flags["problem_solution_index"]:
            learned.solutions[lesson.signature, item_id].add(event.outcome, share, event.at)


def count_concepts(event: OutcomeEvent, keys: Iterable[str], sign: int, learned: LearnedBatch) -> None:
    tiers = sorted({tier for _, tier in read_memory_tiers(event)})
    for key in keys:
        learned.concept_uses[key] += sign
        learned.used_at[key] = max(event.at, learned.used_at.get(key, event.at))
        for tier in tiers:
            learned.routing[key, tier].add(event.outcome, sign, event.at)


def write_batch(user: EndUser, learned: LearnedBatch) -> None:
    present = find_existing(user, learned.tiers)
    ROUTING.add(user, learned.routing)
    add_concepts(user, learned.concept_uses, learned.labels, learned.used_at, learned.topic_votes)
    DOCUMENTS.add(user, {key: value for key, value in learned.documents.items() if key[0] in present})
    write_solutions(user, learned, present)


def write_solutions(user: EndUser, learned: LearnedBatch, present: set[uuid.UUID]) -> None:
    tries = [
        {
            "signature": signature,
            "size": len(learned.problems[signature][0]),
            "query": learned.problems[signature][1][:PREVIEW_CHARS],
            "item_id": item_id,
            "tier": learned.tiers[item_id],
            "last_used_at": counts.at,
            **{outcome: float(getattr(counts, outcome)) for outcome in VERDICTS},
        }
        for (signature, item_id), counts in sorted(learned.solutions.items(), key=str)
        if item_id in present and not counts.is_empty
    ]
    SolutionCue.objects.bulk_create(
        (
            SolutionCue(user=user, key=key, signature=signature)
            for signature in sorted({str(row["signature"]) for row in tries})
            for key in learned.problems[signature][0]
            if len(key) <= KEY_CHARS
        ),
        ignore_conflicts=True,
    )
    drop_lost_cues(user, add_solutions(user, tries))


def find_existing(user: EndUser, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Leaves out deleted memories: nothing learned may refer to them."""
    return set(MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).values_list("pk", flat=True))
