"""What waits for a person, what each decision does, and that it can be taken back."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import DecidedMatter, EndUser, Fact, FactReview, MemoryItem, MemoryVersion
from memory.models.facts import FactState, ReviewKind
from memory.models.inbox import MatterDecision, MatterKind
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import Outcome, Status, Tier, Trust
from outcomes.exchanges.storing import NewExchange
from outcomes.models import OutcomeEvent
from tests.factories import MemoryItemFactory

pytestmark = [pytest.mark.usefixtures("services"), pytest.mark.django_db]

memory = MemoryFacade("operator:ann")
Keep = Callable[..., MemoryItem]


def keep_bank(user: EndUser, text: str, **more: Any) -> MemoryItem:
    new = NewMemory(text, tier=Tier.MEMORY_BANK, tags=["context"], **more)
    return memory.store(user, new, now=timezone.now()).item


def count(user: EndUser, kind: MatterKind) -> int:
    return memory.count_waiting(user, now=timezone.now())[kind]


def first(user: EndUser, kind: MatterKind) -> str:
    return memory.list_waiting(user, kind, now=timezone.now(), limit=1)[0].id


def decide(user: EndUser, kind: MatterKind, decision: MatterDecision, reason: str = "") -> DecidedMatter:
    made = memory.decide_matter(user, kind, first(user, kind), decision, now=timezone.now(), reason=reason)
    assert made is not None
    return made


def read(user: EndUser, item: MemoryItem) -> MemoryItem:
    with user_scope(user):
        return MemoryItem.objects.for_user(user).get(pk=item.pk)


def undo(user: EndUser, made: DecidedMatter) -> None:
    assert memory.undo_decision(user, made.pk, now=timezone.now()) is not None
    # Taken back once.
    if made.kind != MatterKind.DUPLICATES:
        assert memory.undo_decision(user, made.pk, now=timezone.now()) is None


def test_what_says_the_same_is_merged_and_parted_again(user: EndUser) -> None:
    one = keep_bank(user, "The user is a physician at the harbour clinic.")
    other = keep_bank(user, "The user works as a doctor at the harbour clinic.")
    keep_bank(user, "The user parks at gate 12 of the harbour clinic.")
    keep_bank(user, "The user parks at gate 14 of the harbour clinic.")
    assert memory.look_for_duplicates(user, now=timezone.now()) == 1
    assert memory.look_for_duplicates(user, now=timezone.now()) == 0
    assert count(user, MatterKind.DUPLICATES) == 1
    made = decide(user, MatterKind.DUPLICATES, MatterDecision.MERGE)
    states = {read(user, item).status for item in (one, other)}
    assert states == {Status.ACTIVE, Status.ARCHIVED}
    assert max(read(user, item).mentions for item in (one, other)) == 2
    undo(user, made)
    assert [(read(user, item).status, read(user, item).mentions) for item in (one, other)] == [(Status.ACTIVE, 1)] * 2
    with user_scope(user):
        assert not MemoryVersion.objects.filter(Q(text=one.text) | Q(text=other.text), user=user).exists()
    assert count(user, MatterKind.DUPLICATES) == 1


def test_a_pair_that_is_kept_does_not_come_back_and_one_that_is_gone_neither(user: EndUser) -> None:
    keep_bank(user, "The user is a physician at the harbour clinic.")
    gone = keep_bank(user, "The user works as a doctor at the harbour clinic.")
    memory.look_for_duplicates(user, now=timezone.now())
    made = decide(user, MatterKind.DUPLICATES, MatterDecision.KEEP_BOTH)
    memory.look_for_duplicates(user, now=timezone.now())
    assert count(user, MatterKind.DUPLICATES) == 0
    undo(user, made)
    assert count(user, MatterKind.DUPLICATES) == 1
    memory.archive(user, gone.pk, now=timezone.now())
    assert count(user, MatterKind.DUPLICATES) == 0


def test_a_suspected_statement_is_vouched_for_or_archived(user: EndUser) -> None:
    item = keep_bank(user, "The user says the moon is made of cheese, just kidding.")
    if not item.review:
        with user_scope(user):
            MemoryItem.objects.for_user(user).filter(pk=item.pk).update(review=True, warnings=["joke"])
    made = decide(user, MatterKind.SUSPECTED, MatterDecision.KEEP)
    assert (read(user, item).review, count(user, MatterKind.SUSPECTED)) == (False, 0)
    undo(user, made)
    assert (read(user, item).review, count(user, MatterKind.SUSPECTED)) == (True, 1)
    made = decide(user, MatterKind.SUSPECTED, MatterDecision.ARCHIVE)
    assert read(user, item).status == Status.ARCHIVED
    undo(user, made)
    assert read(user, item).status == Status.ACTIVE


def test_a_fact_that_nobody_answers_for_is_confirmed_or_rejected(user: EndUser) -> None:
    fact = memory.state_fact(user, "My dentist is called Dr. Levi", now=timezone.now()).fact
    assert fact is not None
    assert count(user, MatterKind.DOUBTFUL) == 0
    with user_scope(user):
        Fact.objects.filter(pk=fact.pk).update(trust=Trust.ASSISTANT, base_confidence=0.4)
    made = decide(user, MatterKind.DOUBTFUL, MatterDecision.KEEP)
    with user_scope(user):
        assert Fact.objects.get(pk=fact.pk).is_confirmed
    undo(user, made)
    with user_scope(user):
        again = Fact.objects.get(pk=fact.pk)
    assert (again.is_confirmed, again.base_confidence) == (False, 0.4)
    made = decide(user, MatterKind.DOUBTFUL, MatterDecision.REJECT)
    with user_scope(user):
        assert Fact.objects.get(pk=fact.pk).state == FactState.RETRACTED
    undo(user, made)
    assert count(user, MatterKind.DOUBTFUL) == 1


def test_a_failure_is_explained_by_a_lesson_that_can_be_withdrawn(user: EndUser) -> None:
    stored = memory.store_exchange(
        user, NewExchange("t", "How do I descale the kettle?", "With bleach."), now=timezone.now()
    )
    memory.record_outcome(user, Outcome.FAILED, now=timezone.now(), exchange_id=stored.exchange_id)
    kind = MatterKind.UNEXPLAINED
    with pytest.raises(WriteRefused, match="say why"):
        decide(user, kind, MatterDecision.EXPLAIN)
    made = decide(user, kind, MatterDecision.EXPLAIN, reason="Bleach does not dissolve lime; vinegar does.")
    assert count(user, kind) == 0
    with user_scope(user):
        lesson = MemoryItem.objects.for_user(user).get(pk=OutcomeEvent.objects.get(user=user).takeaway_id or "")
    assert (lesson.text, lesson.source["outcome"]) == ("Bleach does not dissolve lime; vinegar does.", "failed")
    undo(user, made)
    assert (count(user, kind), read(user, lesson).status) == (1, Status.ARCHIVED)
    undo(user, decide(user, kind, MatterDecision.KEEP))
    assert count(user, kind) == 1


def test_what_is_used_and_would_end_is_kept_for_good(user: EndUser) -> None:
    now = timezone.now()
    soon = {"tier": Tier.HISTORY, "expires_at": now + timedelta(days=2)}
    used = MemoryItemFactory.create(user=user, text="The boiler's pressure is 1.4 bar", retrieved=3, **soon)
    MemoryItemFactory(user=user, text="Nobody asked for this", **soon)
    MemoryItemFactory(
        user=user,
        text="Asked for, and far from its end",
        retrieved=3,
        tier=Tier.HISTORY,
        expires_at=now + timedelta(days=20),
    )
    assert count(user, MatterKind.EXPIRING) == 1
    made = decide(user, MatterKind.EXPIRING, MatterDecision.KEEP)
    assert (read(user, used).expires_at, count(user, MatterKind.EXPIRING)) == (None, 0)
    undo(user, made)
    assert read(user, used).expires_at == used.expires_at


def test_a_redaction_waits_once(user: EndUser) -> None:
    kept = memory.store(user, NewMemory("The wifi password is Tr0ub4dor&3 at the cabin"), now=timezone.now()).item
    assert "[redacted: " in kept.text
    made = decide(user, MatterKind.REDACTIONS, MatterDecision.KEEP)
    assert count(user, MatterKind.REDACTIONS) == 0
    undo(user, made)
    assert count(user, MatterKind.REDACTIONS) == 1


@pytest.mark.parametrize("decision", ["supersede", "merge", "keep_both", "reject"])
def test_a_contradiction_is_decided_and_waits_again(user: EndUser, decision: str) -> None:
    now = timezone.now()
    older = memory.state_fact(user, "My dentist is called Dr. Levi", now=now).fact
    newer = memory.state_fact(user, "I am allergic to walnuts", now=now).fact
    assert older is not None
    assert newer is not None
    with user_scope(user):
        review = FactReview.objects.create(user=user, fact=newer, other=older, kind=ReviewKind.UNSURE)
    made = decide(user, MatterKind.CONTRADICTIONS, MatterDecision(decision))
    assert count(user, MatterKind.CONTRADICTIONS) == 0
    undo(user, made)
    with user_scope(user):
        states = set(Fact.objects.filter(pk__in=[older.pk, newer.pk]).values_list("state", flat=True))
        assert FactReview.objects.get(pk=review.pk).decision == ""
    assert states == {FactState.ACTIVE}


def test_a_whole_kind_is_decided_at_once_or_not_at_all(user: EndUser) -> None:
    for number in range(3):
        MemoryItemFactory(
            user=user,
            text=f"Boiler {number}",
            retrieved=5,
            tier=Tier.HISTORY,
            expires_at=timezone.now() + timedelta(days=1),
        )
    made = memory.decide_all(user, MatterKind.EXPIRING, MatterDecision.KEEP, now=timezone.now())
    assert (len(made), count(user, MatterKind.EXPIRING)) == (3, 0)
    assert {row.pk for row in memory.list_decided(user, limit=10)} == {row.pk for row in made}
    for refused in (MatterDecision.MERGE, MatterDecision.EXPLAIN):
        with pytest.raises(WriteRefused, match="must be one of keep, archive"):
            memory.decide_all(user, MatterKind.EXPIRING, refused, now=timezone.now())


def test_another_persons_matters_neither_wait_nor_can_be_decided(user: EndUser, other_user: EndUser) -> None:
    keep_bank(user, "The user is a physician at the harbour clinic.")
    keep_bank(user, "The user works as a doctor at the harbour clinic.")
    memory.look_for_duplicates(user, now=timezone.now())
    matter_id = first(user, MatterKind.DUPLICATES)
    now = timezone.now()
    assert set(memory.count_waiting(other_user, now=now).values()) == {0}
    asked = (other_user, MatterKind.DUPLICATES, matter_id, MatterDecision.MERGE)
    assert memory.decide_matter(*asked, now=now) is None
    made = decide(user, MatterKind.DUPLICATES, MatterDecision.MERGE)
    assert memory.undo_decision(other_user, made.pk, now=now) is None


def test_all_that_waits_is_counted_in_one_statement(
    user: EndUser, other_user: EndUser, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """It is told on every page of a person: seven statements each time were most of what such a page asked."""
    keep_bank(user, "The user is a physician at the harbour clinic.")
    keep_bank(user, "The user works as a doctor at the harbour clinic.")
    memory.look_for_duplicates(user, now=timezone.now())
    now = timezone.now()
    with user_scope(user), django_assert_num_queries(1):
        counts = memory.count_waiting(user, now=now)
    assert counts == {kind: len(memory.list_waiting(user, kind, now=now, limit=50)) for kind in MatterKind}
    assert counts[MatterKind.DUPLICATES] == 1
    with user_scope(other_user), django_assert_num_queries(1):
        assert set(memory.count_waiting(other_user, now=now).values()) == {0}
    # Right after the decision, without a cache that would have to hear of it.
    made = decide(user, MatterKind.DUPLICATES, MatterDecision.KEEP_BOTH)
    assert count(user, MatterKind.DUPLICATES) == 0
    undo(user, made)
    assert count(user, MatterKind.DUPLICATES) == 1


def test_who_deletes_a_memory_leaves_nothing_of_it_in_the_inbox(user: EndUser) -> None:
    one = keep_bank(user, "The user is a physician at the harbour clinic.")
    other = keep_bank(user, "The user works as a doctor at the harbour clinic.")
    memory.look_for_duplicates(user, now=timezone.now())
    for item in (one, other):
        memory.remove(user, item.pk, now=timezone.now())
    with user_scope(user):
        assert not DecidedMatter.objects.filter(user=user).exists()
