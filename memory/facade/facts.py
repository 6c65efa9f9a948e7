"""What is held true of a person: stating, reading, correcting and deciding."""

from collections.abc import Callable, Collection, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade.actor import FacadePart
from memory.facade.found_facts import FactHit, keep_best_of_sentences, put_later_first, read_hits
from memory.facade.known import (
    FoundKind,
    FoundLine,
    describe_episode,
    describe_fact_line,
    describe_run,
    select_lines,
)
from memory.facts import browsing, queries, reviews
from memory.facts.browsing import FactSummary, SubjectFacts
from memory.facts.confidence import LEAST_USED
from memory.facts.nearest import find_nearest, find_nearest_episodes, list_vector_models
from memory.facts.queries import FactFilter
from memory.facts.recording import RecordedFact
from memory.indexes.answering import build_question_embedder
from memory.inference import embedder_of
from memory.inference.base import QuestionVector
from memory.lifecycle import curation, learning, undo
from memory.lifecycle.learning import DraftedStatement
from memory.models import EndUser, Fact, FactEpisode, FactEvent, FactEvidence, FactReview
from memory.models.facts import ReviewDecision
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.retrieval import search
from memory.retrieval.results import SearchRequest
from memory.tiers import SCORED_TIERS
from outcomes.exchanges import rereading
from outcomes.exchanges.rereading import ReadingCounts

# Facts that are read for one line: a sentence tells several, and all lie as near.
READ_FOR_ONE: Final = 12


@dataclass(frozen=True, slots=True)
class FactDetails:
    """A fact with what speaks for it and what happened to it, newest first."""

    fact: Fact
    evidence: Sequence[FactEvidence] = ()
    history: Sequence[FactEvent] = ()


class FactVerbs(FacadePart):
    """Verbs answer None, or False, for what is not there or is another user's."""

    def draft_fact(
        self, user: EndUser | None, statement: str, *, said_at: datetime, thread_id: str = ""
    ) -> list[DraftedStatement]:
        """Read a statement for ``state_fact``. Raises WriteRefused.

        Asks the embedder, so call it outside any transaction. None is a person nobody wrote to yet.
        """
        return curation.draft_statement(user, statement, said_at=said_at, thread_id=thread_id)

    def state_fact(
        self,
        user: EndUser,
        statement: str,
        *,
        now: datetime,
        said_at: datetime | None = None,
        thread_id: str = "",
        drafted: Sequence[DraftedStatement] | None = None,
    ) -> RecordedFact:
        """Record a statement and say what it did to what was known. Raises WriteRefused.

        ``drafted`` is what ``draft_fact`` read; without it the embedder is asked here.
        """
        if drafted is None:
            drafted = self.draft_fact(user, statement, said_at=said_at or now, thread_id=thread_id)
        return curation.state_fact(user, drafted, thread_id=thread_id, now=now, actor=self.actor)

    def extract_facts(
        self,
        user: EndUser,
        *,
        now: datetime,
        since: datetime | None = None,
        dry_run: bool = False,
        on_turns: Callable[[int], None] = lambda read: None,
        counts: ReadingCounts | None = None,
    ) -> ReadingCounts:
        """Read what is stored already, exchanges and imported chats, in the order it was said. Repeatable.

        ``counts`` are counted up while it goes, for whoever stops it.
        """
        counts = counts or ReadingCounts()
        # What people wrote into the bank comes first: it is not ended by a remark, and what the product published is
        # found again by the turns it was read out of.
        while not dry_run and learning.learn_bank_items(user, now=now, written_only=True):
            pass
        turns, counts.machines = rereading.list_said_turns(user, since)
        rereading.read_turns(user, turns, counts, now=now, dry_run=dry_run, on_turns=on_turns)
        while not dry_run and learning.learn_bank_items(user, now=now):
            pass
        return counts

    def extract_imported_facts(
        self,
        user: EndUser,
        threads: Collection[str],
        *,
        now: datetime,
        on_turns: Callable[[int], None] = lambda read: None,
        counts: ReadingCounts | None = None,
    ) -> ReadingCounts:
        """Read what people said in these imported threads, in the order it was said."""
        counts = counts or ReadingCounts()
        turns, counts.machines = rereading.list_imported_turns(user, None, threads)
        rereading.read_turns(user, turns, counts, now=now, on_turns=on_turns)
        return counts

    def list_facts(
        self,
        user: EndUser,
        wanted: FactFilter,
        *,
        now: datetime,
        after: tuple[datetime, UUID] | None = None,
        limit: int,
    ) -> list[Fact]:
        """Latest mention first, those after the place given."""
        return queries.list_facts(user, wanted, now=now, after=after, limit=limit)

    def get_fact(self, user: EndUser, fact_id: UUID) -> FactDetails | None:
        fact = queries.get_fact(user, fact_id)
        if fact is None:
            return None
        return FactDetails(
            fact, queries.list_evidence_of(user, [fact_id]).get(fact_id, []), queries.list_fact_events(user, fact_id)
        )

    def list_facts_by_subject(
        self, user: EndUser, wanted: FactFilter, *, now: datetime, start: int = 0, limit: int
    ) -> tuple[list[SubjectFacts], int]:
        """The person's own first, then people, animals, things; and how many there are in all."""
        return browsing.list_facts_by_subject(user, wanted, now=now, start=start, limit=limit)

    def list_facts_of_memory(self, user: EndUser, memory_id: UUID) -> list[Fact]:
        """Those that a memory is evidence for, or was published from."""
        with user_scope(user):
            return queries.list_facts_of_memories(user, [memory_id]).get(memory_id, [])

    def find_successors(self, user: EndUser, facts: Sequence[Fact]) -> dict[UUID, Fact]:
        """What took the place of each, by the id of what it replaced."""
        return browsing.find_successors(user, facts)

    def find_current(self, user: EndUser, facts: Sequence[Fact]) -> dict[UUID, Fact]:
        """What holds now in the place of each, however often it changed since."""
        with user_scope(user):
            return queries.find_current(user, facts)

    def trace_fact(self, user: EndUser, fact: Fact) -> list[Fact]:
        """What led to it and what became of it, the earliest first, itself among them."""
        return browsing.trace_fact(user, fact)

    def summarize_facts(self, user: EndUser, *, now: datetime, limit: int) -> FactSummary:
        """Counts, the latest and the open pairs."""
        return browsing.summarize_facts(user, now=now, limit=limit)

    def count_open_reviews(self, user: EndUser) -> int:
        return reviews.count_open_reviews(user)

    def search_facts(self, user: EndUser, query: str, *, now: datetime, limit: int) -> list[FactHit]:
        """The nearest active facts, best first, one of a sentence; without an embedder those that share its words."""
        vectors = embed_for_facts(user, query)
        with user_scope(user):
            near = find_near_facts(user, vectors, READ_FOR_ONE * limit)
            near = near if vectors else queries.find_by_words(user, query, READ_FOR_ONE * limit)
            hits = read_hits(user, near, now)
        used = [hit for hit in hits if hit.confidence >= LEAST_USED]
        return put_later_first(keep_best_of_sentences(used))[:limit]

    def search_known(
        self, user: EndUser, query: str, *, kinds: Collection[FoundKind], now: datetime, limit: int
    ) -> list[FoundLine]:
        """Facts, past exchanges or both for a question, best first, within a few lines."""
        found: list[FoundLine] = []
        if "fact" in kinds:
            hits = self.search_facts(user, query, now=now, limit=limit)
            found += [describe_fact_line(hit) for hit in hits]
        if "episode" in kinds:
            # Past its time in its tier a turn was said all the same.
            request = SearchRequest(query, tiers=SCORED_TIERS, limit=limit, dormant=True)
            said = search.search(user, request, now=now, remember=False)
            found += [describe_episode(hit, now) for hit in said.hits]
            told = {hit.item.pk for hit in said.hits}
            found += find_runs(user, said.vector, told, now=now, limit=limit)
        return select_lines(found, limit)

    def revise_fact(
        self,
        user: EndUser,
        fact_id: UUID,
        *,
        now: datetime,
        statement: str | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        is_endless: bool = False,
    ) -> Fact | None:
        """Merged into another where that says the same. Raises WriteRefused."""
        days = {"valid_from": valid_from, "valid_to": valid_to}
        return curation.revise_fact(
            user, fact_id, now=now, actor=self.actor, statement=statement, is_endless=is_endless, reason="", **days
        )

    def confirm_fact(self, user: EndUser, fact_id: UUID, *, now: datetime) -> Fact | None:
        return curation.confirm_fact(user, fact_id, now=now, actor=self.actor)

    def reject_fact(self, user: EndUser, fact_id: UUID, *, now: datetime, gives_back: bool = True) -> Fact | None:
        return curation.reject_fact(user, fact_id, now=now, actor=self.actor, gives_back=gives_back)

    def drop_reading(self, user: EndUser, fact_id: UUID, *, now: datetime) -> Fact | None:
        return curation.drop_reading(user, fact_id, now=now, actor=self.actor)

    def restore_fact(self, user: EndUser, fact_id: UUID, *, now: datetime) -> Fact | None:
        return curation.restore_fact(user, fact_id, now=now, actor=self.actor)

    def undo_fact_change(self, user: EndUser, fact_id: UUID, *, now: datetime) -> Fact | None:
        """Take back the correction or confirmation that was the last thing to happen to it. Raises WriteRefused."""
        return undo.undo_fact_change(user, fact_id, now=now, actor=self.actor)

    def forget_fact(self, user: EndUser, fact_id: UUID, *, now: datetime) -> bool:
        """For good: its words, evidence and bank item; earlier turns do not bring it back."""
        return curation.forget_fact(user, fact_id, now=now, actor=self.actor)

    def list_evidence(self, user: EndUser, fact_ids: Collection[UUID]) -> dict[UUID, list[FactEvidence]]:
        """What speaks for facts, by fact, latest first."""
        return queries.list_evidence_of(user, fact_ids)

    def list_reviews(
        self, user: EndUser, *, after: tuple[datetime, UUID] | None = None, limit: int
    ) -> list[FactReview]:
        """Open pairs, newest first."""
        return reviews.list_reviews(user, after=after, limit=limit)

    def decide_review(
        self, user: EndUser, review_id: UUID, decision: ReviewDecision, *, now: datetime
    ) -> FactReview | None:
        return curation.decide_review(user, review_id, decision, now=now, actor=self.actor)


def embed_for_facts(user: EndUser, query: str) -> list[QuestionVector]:
    """The question under each model of the user's facts: after a change some still have a vector of the one before.

    Without those that do not answer.
    """
    deadline = Deadline(memory_conf().deadlines.default_s)
    with user_scope(user):
        models = list_vector_models(user)
    services = [service for model in models if (service := embedder_of(model))] or [build_question_embedder(deadline)]
    vectors = []
    for service in services:
        with suppress(Unavailable):
            vectors.append(QuestionVector(service.embed_query(query, deadline), service.model))
    return vectors


def find_near_facts(user: EndUser, vectors: Sequence[QuestionVector], limit: int) -> dict[UUID, float]:
    """Those near under any of the models, with their cosines. In the user's scope."""
    near: dict[UUID, float] = {}
    for vector in vectors:
        near |= find_nearest(user, *vector, asked=True, limit=limit)
    return near


def find_runs(
    user: EndUser, vector: QuestionVector | None, told: Set[UUID], *, now: datetime, limit: int
) -> list[FoundLine]:
    """Whole conversations near a question, without those of which a turn is told already."""
    if vector is None:
        return []
    with user_scope(user):
        near = find_nearest_episodes(user, *vector, limit=limit)
        episodes = FactEpisode.objects.filter(user=user, pk__in=list(near)).defer("vector")
        return [describe_run(one, near[one.pk], now) for one in episodes if not told & set(one.memory_ids)]
