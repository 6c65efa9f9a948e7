"""Forgetting a person: unreachable at once, gone from every table and index in the end, numbers all that stays."""

import uuid
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.db import IntegrityError, connection

from books import jobs as jobs_of_books
from books.ingestion import run_job
from books.jobs import NewUpload
from books.models import Book, BookDigest
from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from knowledge_graph.models import NameDecision
from knowledge_graph.tasks import learn_everything
from memory import tasks
from memory.access.scope import user_scope
from memory.access.users import find_user, get_or_create_user
from memory.enrichment.tasks import label_person
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.lifecycle import erasure
from memory.models import EndUser, Erasure, IdempotencyRecord, MemoryItem, PersonalLink, SpaceShare, WebhookEvent
from memory.platform import redis
from memory.platform.faults import Unavailable
from memory.portability import jobs
from memory.portability.checking import check_file
from memory.records import records
from memory.records.texts import Kind
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from outcomes.exchanges.sessions import AgentPrompt
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ThreadDigest, ThreadTitle
from tests.conftest import Clock
from tests.factories import keep_evaluation, keep_facts, keep_personality

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]
CANARY = "zanzibarquagga"


def fill_every_table(user: EndUser, clock: Clock, index_now: IndexNow, word: str = CANARY) -> list[uuid.UUID]:
    """A row in every table that keeps something of a person, each with the word where text may be."""
    bank = NewMemory(f"Owns a {word}", tier=Tier.MEMORY_BANK, tags=[word], metadata={"note": word})
    items = [memory.store(user, bank, now=clock()).item.pk]
    named = NewMemory(f"My sister {word.title()} lives in Berlin", tier=Tier.MEMORY_BANK, tags=[word])
    memory.store(user, named, now=clock())
    items.append(memory.store(user, NewMemory(f"The {word} sleeps", speaker=word), now=clock()).item.pk)
    memory.store(user, NewMemory(f"The {word} walks", thread_id=word), now=clock())
    for item_id in items:
        memory.revise(user, item_id, {"text": f"The {word} wakes"}, now=clock())
    index_now(user)
    turn = memory.search(user, SearchRequest(f"where {word} sleeps", thread_id=word), now=clock())
    broken = [{"name": word, "ok": False, "ms": 3, "error": word}]
    memory.store_exchange(
        user, NewExchange(word, f"where {word} sleeps", word, turn_id=turn.turn_id, tools=broken), now=clock()
    )
    memory.open_prompt(user, AgentPrompt(word, f"where the {word} sleeps"), now=clock())
    memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=turn.turn_id, key_takeaway=f"Feed the {word}")
    learn_everything(user, now=clock())
    memory.remove(user, items[1], now=clock())
    keep_records(user, clock, word)
    keep_facts(user, word, clock())
    keep_personality(user, word, clock())
    with user_scope(user):
        kept = MemoryItem.objects.for_user(user)[0]
    keep_evaluation(user, kept, word, clock())
    label_person(user, now=clock())
    stage_own_file(user, clock)
    hand_in_books(user, clock, word)
    run_hot_turn(user, NewHotTurn(word, f"My sister is called {word.title()}."), now=clock(), actor="key:test")
    with user_scope(user):
        IdempotencyRecord.objects.create(
            user=user, key=word, route="/", body_digest="d", response={"text": word}, created_at=clock()
        )
        WebhookEvent.objects.create(user=user, kind="memory.stored")
        NameDecision.objects.create(user=user, first="dana", second="dana levi", is_same=True)
        PersonalLink.objects.create(user=user, digest=word, expires_at=clock())
        ThreadDigest.objects.create(user=user, thread_id=word, bullets=[word], opening=word, covered=1)
        ThreadTitle.objects.create(user=user, thread_id=word, title=f"About {word}")
    return items


def hand_in_books(user: EndUser, clock: Clock, word: str) -> None:
    """One that was read, and one that waits."""
    for name, is_read in ((f"{word}.txt", True), (f"{word} two.txt", False)):
        body = f"How to feed a {name}: with {word} flakes.".encode()
        job = jobs_of_books.stage_upload(user, NewUpload(body, name, word), now=clock(), actor="test")
        if is_read:
            run_job(user, job.pk, clock=clock)
            with user_scope(user):
                BookDigest.objects.create(user=user, book=Book.objects.get(user=user), summary=word, concepts=[word])


def stage_own_file(user: EndUser, clock: Clock) -> None:
    """A file of theirs that waits for the worker."""
    file = BytesIO()
    memory.export_person(user, file, now=clock())
    file.seek(0)
    check = check_file(file)
    file.seek(0)
    jobs.stage_import(user, file, check, now=clock(), actor="test")


def keep_records(user: EndUser, clock: Clock, word: str) -> None:
    fields: dict[Kind, dict[str, Any]] = {
        Kind.JOURNAL: {"title": word, "is_draft": False},
        Kind.TODO: {"title": word},
        Kind.GRATITUDE: {"text": word},
    }
    for kind, reported in fields.items():
        records.add_record(user, kind, reported, now=clock())
    records.replace_preferences(user, {"flags": {"animal": word}}, now=clock())
    memory.put_data(user, word, {"animal": word}, now=clock())
    memory.make_space(user.organization_id, "Zoo", user, now=clock())
    with user_scope(user):
        item = MemoryItem.objects.for_user(user)[0]
        SpaceShare.objects.create(user=user, item=item, contributor_id=0, contributor_name=word)
    memory.recall_records(user, word, now=clock())


def tables_of_users() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND column_name = 'user_id' AND table_name NOT LIKE 'operator%'"
            # Of Django's own administration: its user is an operator.
            " AND table_name <> 'django_admin_log' ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]


def rows_of(user_id: int) -> dict[str, int]:
    """Rows of a user by table, read in the user's scope: outside of it nobody sees any."""
    found = {}
    with user_scope(user_id), connection.cursor() as cursor:
        for table in tables_of_users():
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE user_id = %s', [user_id])
            [found[table]] = cursor.fetchone() or (0,)
    return found


def places_of_the_canary(user_id: int) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
    found = []
    with user_scope(user_id), connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}" AS row WHERE row::text ILIKE %s', [f"%{CANARY}%"])
            if (cursor.fetchone() or (0,))[0]:
                found.append(table)
    return found


def canary_in_redis() -> bool:
    values = redis.call_or_raise(lambda client: [(key, client.type(key)) for key in client.keys("*")])
    strings = [key for key, kind in values if kind == b"string"]
    contents = redis.call_or_raise(lambda client: client.mget(strings)) if strings else []
    return any(CANARY.encode() in part for part in (*(key for key, _ in values), *contents) if part)


def test_nothing_of_a_person_is_left_anywhere(
    user: EndUser, other_user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    fill_every_table(user, clock, index_now)
    fill_every_table(other_user, clock, index_now, word="okapi")
    before = rows_of(user.pk)
    assert all(before.values()), f"this test must fill every table: {before}"
    assert len(places_of_the_canary(user.pk)) >= 6
    others = rows_of(other_user.pk)
    requested = memory.request_erasure(user, now=clock())
    erasure.finish_erasure(requested.pk, now=clock.advance(minutes=1))
    assert set(rows_of(user.pk).values()) == {0}
    assert places_of_the_canary(user.pk) == []
    assert not EndUser.objects.filter(pk=user.pk).exists()
    assert list(vector_index().scroll(user.pk)) == []
    assert not canary_in_redis()
    requested.refresh_from_db()
    assert requested.finished_at == clock()
    assert requested.removed == before
    assert rows_of(other_user.pk) == others, "nobody else lost anything"


def test_a_person_is_unreachable_from_the_request_on(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    fill_every_table(user, clock, index_now)
    organization = user.organization
    memory.request_erasure(user, now=clock())
    assert find_user(organization, "ann") is None
    again = get_or_create_user(organization, "ann")
    assert again.pk != user.pk
    assert memory.search(again, SearchRequest(CANARY), now=clock()).hits == []
    assert memory.get_stats(again).exchanges == 0
    # The name that is left is outside what any client may send.
    user.refresh_from_db()
    with pytest.raises(ValueError, match="user id"):
        get_or_create_user(organization, user.external_id)


def test_erasing_twice_or_twice_at_once_is_erasing(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    fill_every_table(user, clock, index_now)
    first = memory.request_erasure(user, now=clock())
    second = memory.request_erasure(user, now=clock())
    for requested in (first, second, first):
        erasure.finish_erasure(requested.pk, now=clock())
    assert erasure.list_unfinished_erasures() == []
    assert set(rows_of(user.pk).values()) == {0}


def test_an_erasure_waits_for_an_index_that_is_away(
    user: EndUser, clock: Clock, index_now: IndexNow, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_every_table(user, clock, index_now)
    requested = memory.request_erasure(user, now=clock())

    def fail(user_id: int) -> None:
        raise Unavailable("vector", "connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(vector_index(), "erase", fail)
        tasks.erase_user(str(requested.pk))
    assert erasure.list_unfinished_erasures() == [requested.pk]
    with user_scope(user):
        assert MemoryItem.objects.count() == 0
    counted = Erasure.objects.get(pk=requested.pk).removed
    assert counted["memory_item"] > 0
    tasks.erase_user(str(requested.pk))
    done = Erasure.objects.get(pk=requested.pk)
    assert done.finished_at is not None
    assert done.removed == counted
    assert not EndUser.objects.filter(pk=user.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_write_that_comes_between_is_erased_by_the_next_run(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested = memory.request_erasure(user, now=clock())
    erase = type(vector_index()).erase

    def write_first(index: object, user_id: int) -> None:
        memory.store(user, NewMemory("Too late"), now=clock())
        erase(index, user_id)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(type(vector_index()), "erase", write_first)
        with pytest.raises(IntegrityError):
            tasks.erase_user(str(requested.pk))
    assert erasure.list_unfinished_erasures() == [requested.pk]
    tasks.erase_user(str(requested.pk))
    assert Erasure.objects.get(pk=requested.pk).finished_at is not None
    assert rows_of(user.pk)["memory_item"] == 0
    assert not EndUser.objects.filter(pk=user.pk).exists()
