"""The page of recall: hits with what placed them, what was left out, what failed, and the calls."""

import re
import uuid

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.language.text import SMUGGLED
from memory.models import EndUser
from memory.platform.faults import Unavailable
from memory.records import console as recall_console
from memory.records import queue, recall, records
from memory.records.models import RecallLog, RecordEmbedding
from memory.records.tasks import embed_user_records
from memory.records.texts import Kind
from memory.tiers import Indexing
from tests.memory.console.conftest import Console
from tests.memory.console.hostile_texts import PAYLOADS
from tests.memory.console.test_hostile_text import Skeleton


@pytest.fixture
def kept(user: EndUser) -> None:
    for title in ("Buy network cables for the lab", "Buy a lamp for the lab"):
        records.add_record(user, Kind.TODO, {"title": title}, now=timezone.now())
    embed_user_records(user.pk)


def test_a_question_shows_hits_with_factors_and_what_was_left_out(
    console: Console, user: EndUser, kept: None, place: str
) -> None:
    answer = console.part(f"{place}/recall?query=what+to+buy+for+the+lab&bias=planning&most=1").content.decode()

    assert answer.count('<article class="panel hit') == 1
    assert "1.200" in answer
    assert "enough of this kind" in answer
    with user_scope(user):
        [call] = RecallLog.objects.filter(user=user)
    assert (call.tool, call.filters["bias"]) == (recall_console.TOOL, "planning")
    assert "at most 1 of a kind" in answer
    assert console.get(f"{place}/recall?query=x&bias=shopping").status_code == 422


def test_a_failing_part_is_named(
    console: Console, user: EndUser, kept: None, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise Unavailable("embedder", "is away")

    monkeypatch.setattr(recall, "load_records_embedder", fail)
    answer = console.get(f"{place}/recall?query=lab").content.decode()

    assert "The embedding model does not answer" in answer
    assert recall.EMBEDDING_AWAY in answer


def test_what_failed_is_tried_again_by_a_button(
    console: Console, outsider: Console, user: EndUser, kept: None, place: str
) -> None:
    with user_scope(user):
        RecordEmbedding.objects.filter(user=user, text__contains="lamp").update(state=Indexing.FAILED, error="refused")
    assert "1 failed" in re.sub(r"<[^>]+>", "", console.get(f"{place}/recall").content.decode())

    assert outsider.post(f"{place}/recall/retry").status_code == 404
    assert "will be embedded once more" in console.post(f"{place}/recall/retry", follow=True).content.decode()
    assert queue.list_due_users() == [user.pk]


def test_older_calls_follow(console: Console, user: EndUser, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_console, "NOTES", 2)
    with user_scope(user):
        for number in range(3):
            RecallLog.objects.create(user=user, status="ok", duration_ms=number, top_k_effective=number)
    page = console.get(f"{place}/recall").content.decode()
    [cursor] = set(re.findall(r"\?calls=([^\"]+)", page))

    assert page.count("answered") == 2
    for older in (console.part(f"{place}/recall?calls={cursor}"), console.get(f"{place}/recall?calls={cursor}")):
        assert older.content.decode().count("answered") == 1


@pytest.mark.parametrize("payload", PAYLOADS[:3])
def test_hostile_text_stays_text(console: Console, user: EndUser, place: str, payload: str) -> None:
    skeletons = []
    for text in (payload, "harmless"):
        with user_scope(user):
            RecordEmbedding.objects.filter(user=user).delete()
            row = {"user": user, "kind": "todo", "text": text, "state": Indexing.FAILED, "error": text[:300]}
            RecordEmbedding.objects.create(snippet=text, ref_id=uuid.uuid4(), **row)
        page = console.get(f"{place}/recall").content.decode()
        assert not SMUGGLED.search(page)
        skeletons.append(Skeleton(page).parts)
    assert skeletons[0] == skeletons[1]
