"""Purging a source: all of it goes, with all that came of it, and nothing else."""

import uuid
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.lifecycle import purging
from memory.lifecycle.purging import CURRENT_PLACE, ItemWording, PurgeDecision, PurgeFilter, decide_purge
from memory.models import EndUser, MemoryEvent, MemoryItem, MemoryVersion, Tombstone
from memory.store import archiving
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import Outcome, SourceType, Tier, Trust
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.api_client import ApiClient
from tests.conftest import Clock

memory = MemoryFacade("key:app")
evil = MemoryFacade("key:evil")
DOCUMENTS = PurgeFilter(source="document")


def derive_from(user: EndUser, clock: Clock, text: str, *parents: MemoryItem, **fields: Any) -> MemoryItem:
    return memory.store(user, NewMemory(text, parents=[parent.pk for parent in parents], **fields), now=clock()).item


def texts(user: EndUser) -> set[str]:
    with user_scope(user):
        return set(MemoryItem.objects.for_user(user).values_list("text", flat=True))


def statement(text: str, **fields: Any) -> NewMemory:
    return NewMemory(text, tier=Tier.MEMORY_BANK, tags=["preference"], **fields)


@pytest.fixture
def poison(user: EndUser, clock: Clock) -> MemoryItem:
    return derive_from(user, clock, "poison", source_type=SourceType.DOCUMENT, source={"title": "handbook.pdf"})


# --- descendants -------------------------------------------------------------------------------------------------
def test_a_chain_of_five_goes_with_its_head(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    link = poison
    for number in range(4):
        link = derive_from(user, clock, f"link {number}", link)
    derive_from(user, clock, "mine")
    done, _ = memory.purge(user, DOCUMENTS, now=clock())
    assert (done.matched, done.derived, done.removed, len(done.memory_ids)) == (1, 4, 5, 5)
    assert texts(user) == {"mine"}
    with user_scope(user):
        assert Tombstone.objects.filter(user=user, purged_at=None).count() == 5


def test_a_diamond_and_what_has_another_parent_too_goes(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    mine = derive_from(user, clock, "mine")
    left, right = derive_from(user, clock, "left", poison), derive_from(user, clock, "right", poison, mine)
    derive_from(user, clock, "bottom", left, right)
    derive_from(user, clock, "of mine alone", mine)
    done, _ = memory.purge(user, DOCUMENTS, now=clock())
    assert (done.matched, done.derived, done.removed) == (1, 3, 4)
    assert texts(user) == {"mine", "of mine alone"}


def test_a_circle_that_should_not_be_ends(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    one = derive_from(user, clock, "one", poison)
    two = derive_from(user, clock, "two", one)
    with user_scope(user):
        MemoryItem.objects.for_user(user).filter(pk=one.pk).update(parents=[poison.pk, two.pk])
    assert memory.purge(user, DOCUMENTS, now=clock())[0].removed == 3


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (PurgeFilter(source="tool"), {"poison", "of poison", "mine", "said in t1"}),
        (PurgeFilter(source={"type": "tool"}), {"poison", "of poison", "mine", "said in t1"}),
        (
            PurgeFilter(source={"type": "tool", "title": "handbook.pdf"}),
            {"poison", "of poison", "tool", "mine", "said in t1"},
        ),
        (PurgeFilter(source={"title": "handbook.pdf"}), {"tool", "mine", "said in t1"}),
        (PurgeFilter(source="wiki"), {"poison", "of poison", "tool", "mine", "said in t1"}),
        (PurgeFilter(principal="key:evil"), {"poison", "of poison", "mine", "said in t1"}),
        (PurgeFilter(thread_id="t1"), {"poison", "of poison", "tool", "mine"}),
        (PurgeFilter(source="document", thread_id="t1"), {"poison", "of poison", "tool", "mine", "said in t1"}),
    ],
)
def test_a_source_is_named_by_kind_content_writer_or_thread(
    user: EndUser, clock: Clock, poison: MemoryItem, wanted: PurgeFilter, left: set[str]
) -> None:
    derive_from(user, clock, "of poison", poison)
    derive_from(user, clock, "mine")
    derive_from(user, clock, "said in t1", thread_id="t1")
    evil.store(user, NewMemory("tool", source_type=SourceType.TOOL), now=clock())
    memory.purge(user, wanted, now=clock())
    assert texts(user) == left


def test_one_memory_is_purged_with_its_exchange(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    stored = memory.store_exchange(user, NewExchange("t1", "question", "answer"), now=clock())
    with user_scope(user):
        head = MemoryItem.objects.for_user(user).get(pk=stored.memory_id)
    derive_from(user, clock, "takeaway", head)
    done, exchanges = memory.purge(user, PurgeFilter(memory_id=head.pk), now=clock())
    assert (done.removed, exchanges) == (2, 1)
    assert texts(user) == {"poison"}
    with user_scope(user):
        assert not Exchange.objects.filter(user=user).exists()


def test_nobody_elses_memories_go(user: EndUser, other_user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    theirs = NewMemory("theirs", source_type=SourceType.DOCUMENT)
    memory.store(other_user, theirs, now=clock())
    memory.purge(user, DOCUMENTS, now=clock())
    assert (texts(user), texts(other_user)) == (set(), {"theirs"})


# --- wordings ----------------------------------------------------------------------------------------------------
def test_a_wording_merged_into_an_item_is_taken_off_it(user: EndUser, clock: Clock) -> None:
    item = memory.store(user, statement("Prefers tea", importance=0.9), now=clock()).item
    evil.store(user, statement("Prefers tea, poison says", importance=0.1), now=clock(), similar_to=item.pk)
    done, _ = memory.purge(user, PurgeFilter(principal="key:evil"), now=clock())
    assert (done.matched, done.removed, done.reverted, done.versions) == (1, 0, 0, 1)
    assert texts(user) == {"Prefers tea"}
    assert memory.list_versions(user, item.pk) == []


def test_a_wording_that_won_gives_way_to_the_one_before(user: EndUser, clock: Clock) -> None:
    item = memory.store(user, statement("Prefers tea", importance=0.5), now=clock()).item
    worse = statement("Prefers poison", importance=1.0)
    evil.store(user, worse, now=clock.advance(hours=1), similar_to=item.pk)
    assert texts(user) == {"Prefers poison"}
    before = derive_from(user, clock, "derived while it was poisoned", item)
    done, _ = memory.purge(user, PurgeFilter(principal="key:evil"), now=clock())
    assert (done.reverted, done.removed) == (1, 1)
    assert texts(user) == {"Prefers tea"}
    [now] = [memory.get(user, item.pk)]
    assert now is not None
    assert (now.principal, now.importance, now.indexing) == ("key:app", 0.5, "pending")
    assert memory.list_versions(user, item.pk) == []
    assert memory.get(user, before.pk) is None
    with user_scope(user):
        reported = MemoryEvent.objects.filter(user=user, item_id=item.pk)
        assert not [event for event in reported if "poison" in f"{event.before}{event.after}".lower()]


def test_an_edit_by_the_source_is_taken_back_and_what_came_before_it_stays(user: EndUser, clock: Clock) -> None:
    item = memory.store(user, NewMemory("Ann's own words"), now=clock()).item
    derive_from(user, clock, "derived from Ann's words", item)
    evil.revise(user, item.pk, {"text": "poisoned words"}, now=clock.advance(hours=1))
    derive_from(user, clock, "derived from poisoned words", item)
    memory.revise(user, item.pk, {"text": "poisoned words, polished"}, now=clock.advance(hours=1))
    memory.purge(user, PurgeFilter(principal="key:evil"), now=clock())
    assert texts(user) == {"Ann's own words", "derived from Ann's words"}


def test_what_a_source_began_goes_though_somebody_edited_it(user: EndUser, clock: Clock) -> None:
    item = evil.store(user, NewMemory("poison"), now=clock()).item
    memory.revise(user, item.pk, {"text": "poison, with a comma"}, now=clock())
    assert memory.purge(user, PurgeFilter(principal="key:evil"), now=clock())[0].removed == 1
    assert texts(user) == set()


A, B, C = (ItemWording(n, has_successor=True, is_side_version=False, replaced_at=None) for n in (1, 2, 3))
SIDE = ItemWording(9, has_successor=False, is_side_version=True, replaced_at=None)
REPLACED = ItemWording(2, has_successor=False, is_side_version=False, replaced_at=None)
NOW = ItemWording(CURRENT_PLACE, has_successor=False, is_side_version=False, replaced_at=None)


@pytest.mark.parametrize(
    ("wordings", "unwanted", "fate"),
    [
        ([NOW], {CURRENT_PLACE}, PurgeDecision(None)),
        ([A, NOW], {1}, PurgeDecision(None)),
        ([A, B, NOW], {2}, PurgeDecision(1, (2,))),
        ([A, B, NOW], {CURRENT_PLACE}, PurgeDecision(2)),
        ([A, SIDE, B, NOW], {1}, PurgeDecision(9, (1, 2))),
        ([A, SIDE, NOW], {9}, PurgeDecision(CURRENT_PLACE, (9,))),
        ([A, REPLACED, NOW], {1}, PurgeDecision(CURRENT_PLACE, (1, 2))),
        ([REPLACED, NOW], {CURRENT_PLACE}, PurgeDecision(2)),
    ],
)
def test_an_unwanted_wording_spoils_those_made_from_it(
    wordings: list[ItemWording], unwanted: set[int], fate: PurgeDecision
) -> None:
    judged = decide_purge(wordings, unwanted)
    assert (judged.keeps, set(judged.dropped)) == (fate.keeps, set(fate.dropped))


# --- as an operation ---------------------------------------------------------------------------------------------
def test_a_dry_run_counts_and_changes_nothing(user: EndUser, clock: Clock, poison: MemoryItem, api: ApiClient) -> None:
    derive_from(user, clock, "of poison", poison)
    reported = api.post("memories/purge", {"source": "document", "dry_run": True}).json()
    assert (reported["matched"], reported["derived"], reported["removed"]) == (1, 1, 2)
    assert texts(user) == {"poison", "of poison"}
    done = api.post("memories/purge", {"source": "document"}).json()
    assert {**done, "exchanges": 0} == reported
    assert texts(user) == set()
    assert api.post("memories/purge", {"source": "document"}).json()["removed"] == 0


@pytest.mark.parametrize("body", [{}, {"dry_run": True}, {"source": ""}, {"source": {}}])
def test_nothing_named_is_refused(api: ApiClient, poison: MemoryItem, body: dict[str, Any]) -> None:
    refused = api.post("memories/purge", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "source")


@pytest.mark.django_db(transaction=True)
def test_a_purge_that_is_cut_off_finds_the_rest_again(
    user: EndUser, clock: Clock, poison: MemoryItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = poison
    for number in range(6):
        link = derive_from(user, clock, f"link {number}", link)
    monkeypatch.setattr(purging, "BATCH", 2)
    remove_many, calls = archiving.delete_memories, []

    def fail_in_the_second(*asked: Any, **more: Any) -> list[uuid.UUID]:
        calls.append(asked)
        if len(calls) == 2:
            raise RuntimeError("cut off")
        return remove_many(*asked, **more)

    with monkeypatch.context() as patch:
        patch.setattr(archiving, "delete_memories", fail_in_the_second)
        with pytest.raises(RuntimeError):
            memory.purge(user, DOCUMENTS, now=clock())
    assert texts(user) == {"poison", "link 0", "link 1", "link 2", "link 3"}, "the last of the chain went first"
    memory.purge(user, DOCUMENTS, now=clock())
    assert texts(user) == set()
    with user_scope(user):
        assert not MemoryVersion.objects.filter(user=user).exists()


def test_the_command_says_what_it_did(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    derive_from(user, clock, "of poison", poison)
    out = StringIO()
    call_command("purge_source", "--user=ann", "--source=document", "--dry-run", stdout=out)
    assert "2 would be removed" in out.getvalue()
    call_command("purge_source", "--user=ann", "--source=document", stdout=out)
    assert "1 memories contain text of it, 1 were derived from those\n2 were removed" in out.getvalue()
    assert texts(user) == set()
    with pytest.raises(CommandError, match="name what to purge"):
        call_command("purge_source", "--user=ann")
    with pytest.raises(CommandError, match="has no user 'nobody'"):
        call_command("purge_source", "--user=nobody", "--source=tool")


def test_a_takeaway_goes_with_what_it_was_learned_from(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    mine = derive_from(user, clock, "mine")
    reported = memory.record_outcome(
        user, Outcome.WORKED, now=clock(), key_takeaway="learned of poison", related=[str(poison.pk), str(mine.pk)]
    )
    own = memory.record_outcome(
        user, Outcome.WORKED, now=clock(), key_takeaway="learned of mine", related=[str(mine.pk)]
    )
    assert reported.takeaway_id is not None
    assert own.takeaway_id is not None
    lesson, other = memory.get(user, reported.takeaway_id), memory.get(user, own.takeaway_id)
    assert lesson is not None
    assert other is not None
    assert (set(lesson.parents), lesson.trust) == ({poison.pk, mine.pk}, Trust.EXTERNAL)
    assert (other.parents, other.trust) == ([mine.pk], Trust.ASSISTANT)
    memory.purge(user, DOCUMENTS, now=clock())
    assert texts(user) == {"mine", "learned of mine"}


def test_what_is_derived_while_a_purge_is_under_way_goes_too(
    user: EndUser, clock: Clock, poison: MemoryItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    derive_from(user, clock, "of poison", poison)
    carry_out = purging.apply_purge
    rounds: list[Any] = []

    def overtaken(*asked: Any, **more: Any) -> None:
        if not rounds:
            late = derive_from(user, clock, "late", poison)
            derive_from(user, clock, "later", late)
        rounds.append(asked)
        carry_out(*asked, **more)

    monkeypatch.setattr(purging, "apply_purge", overtaken)
    done, _ = memory.purge(user, DOCUMENTS, now=clock())
    assert (done.removed, len(rounds)) == (4, 2)
    assert texts(user) == set()


def test_nothing_can_be_derived_from_what_is_gone(user: EndUser, clock: Clock, poison: MemoryItem) -> None:
    memory.purge(user, DOCUMENTS, now=clock())
    with pytest.raises(WriteRefused) as refused:
        derive_from(user, clock, "of poison", poison)
    assert refused.value.field == "parents"
