"""The database's wall alone: raw SQL as the application's role, with no query set and no index in between."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from books.models import Book, BookChunk, BookDigest, BookJob, BookUpload
from knowledge_graph.models import DECISION_TABLES, GRAPH_TABLES, HOT_TABLES
from memory.access.scope import user_scope
from memory.enrichment.tasks import label_person
from memory.facade import MemoryFacade
from memory.models import (
    EndUser,
    IdempotencyRecord,
    MemoryItem,
    PersonalLink,
    SpaceShare,
    Tombstone,
    Transfer,
    TransferPart,
    WebhookEvent,
)
from memory.models.transfers import TransferKind
from memory.records import records
from memory.records.models import RecallLog
from memory.records.texts import Kind
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Outcome
from outcomes.exchanges.sessions import AgentPrompt
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ThreadDigest, ThreadTitle
from tests.conftest import index_pending
from tests.database_roles import isolated_tables
from tests.factories import EndUserFactory, OrganizationFactory, keep_evaluation, keep_facts, keep_personality


@pytest.fixture(scope="module")
def people(
    services: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[EndUser, EndUser]]:
    """Two with at least one row each in every isolated table; what a test does to them is undone with it."""
    with django_db_blocker.unblock(), transaction.atomic():
        both = [
            EndUserFactory.create(organization=OrganizationFactory.create(slug=slug), external_id="ann")
            for slug in ("acme", "umbra")
        ]
        for someone in both:
            fill_with_rows(someone, fill_with_talk(someone))
        yield both[0], both[1]
        transaction.set_rollback(True)


@pytest.fixture
def filled(people: tuple[EndUser, EndUser], db: None) -> None:
    """The tables of two people are open to the test."""


@pytest.fixture
def user(filled: None, people: tuple[EndUser, EndUser]) -> EndUser:
    return people[0]


@pytest.fixture
def foreign_user(filled: None, people: tuple[EndUser, EndUser]) -> EndUser:
    return people[1]


def fill_with_talk(someone: EndUser) -> MemoryItem:
    facade = MemoryFacade()
    item = facade.store(
        someone,
        NewMemory("The lamp is repaired on Thursdays", speaker="Dana", thread_id="lamp"),
        now=timezone.now(),
    ).item
    facade.revise(someone, item.pk, {"text": "The lamp is repaired on Fridays"}, now=timezone.now())
    index_pending(someone)
    turn = facade.search(someone, SearchRequest("lamp"), now=timezone.now()).turn_id
    tools = [{"name": "git", "ok": False, "ms": 1, "error": "timed out"}]
    facade.store_exchange(
        someone, NewExchange("t", "Is it repaired?", "Yes.", turn_id=turn, tools=tools), now=timezone.now()
    )
    facade.open_prompt(someone, AgentPrompt("t", "Is it repaired?"), now=timezone.now())
    facade.record_outcome(someone, Outcome.WORKED, now=timezone.now(), turn_id=turn)
    keep_evaluation(someone, item, "lamp", timezone.now())
    return item


def fill_with_rows(someone: EndUser, item: MemoryItem) -> None:
    facade = MemoryFacade()
    keep_facts(someone, "lamp", timezone.now())
    keep_personality(someone, "lamp", timezone.now())
    label_person(someone, now=timezone.now())
    facade.make_space(someone.organization_id, "Lamps", someone, now=timezone.now())
    with user_scope(someone):
        keep_records(facade, someone)
        for model in (*GRAPH_TABLES, *HOT_TABLES, *DECISION_TABLES):
            model._default_manager.create(user=someone, **least_of(model))
        IdempotencyRecord.objects.create(user=someone, key="k", route="r", body_digest="d")
        PersonalLink.objects.create(user=someone, digest="lamp", expires_at=timezone.now())
        Tombstone.objects.create(user=someone, item_id=uuid.uuid4())
        SpaceShare.objects.create(user=someone, item=item, contributor_id=someone.pk, contributor_name="lamp")
        job = Transfer.objects.create(user=someone, kind=TransferKind.IMPORT)
        TransferPart.objects.create(user=someone, transfer=job, number=0, body=b"lamp")
        keep_book(someone, item)
        WebhookEvent.objects.create(user=someone, kind="memory.stored")
        ThreadDigest.objects.create(user=someone, thread_id="t", bullets=["The lamp is repaired"])
        ThreadTitle.objects.create(user=someone, thread_id="t", title="The lamp")


def keep_book(someone: EndUser, item: MemoryItem) -> None:
    told = {"user": someone, "file_name": "lamp.md", "content_hash": "l" * 64, "size": 4}
    book = Book.objects.create(**told, title="Lamp", file_type="md", chunk_count=1)
    BookChunk.objects.create(user=someone, book=book, item=item, position=0, tokens=1)
    BookDigest.objects.create(user=someone, book=book, summary="The lamp is repaired")
    BookUpload.objects.create(user=someone, job=BookJob.objects.create(**told), body=b"lamp")


def keep_records(facade: MemoryFacade, someone: EndUser) -> None:
    now = timezone.now()
    records.add_record(someone, Kind.JOURNAL, {"title": "Lamp", "is_draft": False}, now=now)
    records.add_record(someone, Kind.TODO, {"title": "Fetch the lamp"}, now=now)
    records.add_record(someone, Kind.GRATITUDE, {"text": "A lamp that works"}, now=now)
    records.replace_preferences(someone, {"religion": "general"}, now=now)
    facade.put_data(someone, "lamp", {"is": "repaired"}, now=now)
    RecallLog.objects.create(user=someone, status="ok", duration_ms=1, top_k_effective=0)


def least_of(model: type[Model]) -> dict[str, Any]:
    """Something for each field of a row that has no default."""
    values = {"CharField": "lamp", "TextField": "lamp", "UUIDField": uuid.uuid4(), "DateTimeField": timezone.now()}
    fields = [field for field in model._meta.concrete_fields if not field.primary_key and field.name != "user"]
    return {
        field.name: values.get(field.get_internal_type(), 1)
        for field in fields
        if not field.has_default() and not field.null
    }


def fetch_rows(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall()) if cursor.description else []


def refusal_of(statement: str, *parameters: Any) -> str:
    """Why the database refuses a statement."""
    with pytest.raises(DatabaseError) as failure, transaction.atomic():
        fetch_rows(statement, *parameters)
    return str(failure.value)


def test_without_a_scope_no_table_has_rows(filled: None) -> None:
    for table in isolated_tables():
        assert fetch_rows(f'SELECT count(*) FROM "{table}"') == [(0,)], table


def test_within_a_scope_only_the_own_rows_exist(filled: None, user: EndUser, foreign_user: EndUser) -> None:
    for someone in (user, foreign_user):
        with user_scope(someone):
            for table in isolated_tables():
                assert fetch_rows(f'SELECT DISTINCT user_id FROM "{table}"') == [(someone.pk,)], table


def test_no_statement_reaches_a_foreign_row(filled: None, user: EndUser, foreign_user: EndUser) -> None:
    with user_scope(user):
        for table in isolated_tables():
            assert fetch_rows(f'SELECT 1 FROM "{table}" WHERE user_id = %s', foreign_user.pk) == [], table
            assert (
                fetch_rows(f'UPDATE "{table}" SET user_id = user_id WHERE user_id = %s RETURNING 1', foreign_user.pk)
                == []
            )
            assert fetch_rows(f'DELETE FROM "{table}" WHERE user_id = %s RETURNING 1', foreign_user.pk) == [], table


def test_no_row_can_be_written_for_or_given_to_somebody_else(
    filled: None, user: EndUser, foreign_user: EndUser
) -> None:
    with user_scope(user):
        for table in isolated_tables():
            given = refusal_of(f'UPDATE "{table}" SET user_id = %s', foreign_user.pk)
            assert "row-level security" in given, table
        copied = refusal_of(
            "INSERT INTO turn (user_id, turn_id, thread_id, query, positions, debug, created_at) "
            "VALUES (%s, %s, '', '', '[]', '{}', now())",
            foreign_user.pk,
            uuid.uuid4(),
        )
        assert "row-level security" in copied


@pytest.mark.parametrize("table", ["memory_version", "memory_event", "memory_token_vectors", "book_chunk"])
def test_a_row_cannot_point_at_a_foreign_item(filled: None, user: EndUser, foreign_user: EndUser, table: str) -> None:
    with user_scope(foreign_user):
        [(foreign_item,)] = fetch_rows("SELECT id FROM memory_item LIMIT 1")
    with user_scope(user):
        refusal = refusal_of(
            f"UPDATE {table} SET item_id = %s; SET CONSTRAINTS ALL IMMEDIATE".replace("%s", f"'{foreign_item}'")
        )
    assert "foreign key" in refusal


@pytest.mark.parametrize("scope", ["", "0", "-1", "999999999999"])
def test_a_scope_of_nobody_sees_nothing(filled: None, scope: str) -> None:
    with transaction.atomic():
        fetch_rows("SELECT set_config('app.user_id', %s, true)", scope)
        for table in isolated_tables():
            assert fetch_rows(f'SELECT count(*) FROM "{table}"') == [(0,)], table


@pytest.mark.parametrize("scope", ["all", "1 OR 1=1", "1;2", "NULL"])
def test_a_scope_that_is_no_number_is_an_error_and_not_everybody(filled: None, scope: str) -> None:
    with transaction.atomic():
        fetch_rows("SELECT set_config('app.user_id', %s, true)", scope)
        assert "invalid input syntax" in refusal_of("SELECT count(*) FROM memory_item")
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE commonplace_owner",
        "SET SESSION AUTHORIZATION commonplace_owner",
        "ALTER ROLE commonplace_app BYPASSRLS",
        "ALTER TABLE memory_item DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE memory_item NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY user_isolation ON memory_item",
        "CREATE POLICY everybody ON memory_item USING (true)",
        "SET row_security = off; SELECT count(*) FROM memory_item",
        "CREATE TABLE public.copied AS SELECT * FROM memory_item",
        "CREATE FUNCTION public.peek() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1 FROM memory_item'",
    ],
)
def test_the_application_cannot_take_its_own_wall_down(filled: None, statement: str) -> None:
    refusal = refusal_of(statement)
    assert any(words in refusal for words in ("permission denied", "must be owner", "row-level security", "must have"))


def test_a_copy_in_a_temporary_table_holds_only_what_the_scope_shows(filled: None, user: EndUser) -> None:
    with user_scope(user):
        fetch_rows("CREATE TEMPORARY TABLE copied ON COMMIT DROP AS SELECT user_id FROM memory_item")
        assert {owner for (owner,) in fetch_rows("SELECT user_id FROM copied")} == {user.pk}


def test_the_orm_without_its_funnel_is_held_by_the_policy(filled: None, user: EndUser) -> None:
    assert MemoryItem.objects.count() == 0
    with user_scope(user):
        assert set(MemoryItem.objects.values_list("user_id", flat=True)) == {user.pk}
