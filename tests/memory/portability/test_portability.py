"""A person leaves with everything and arrives with everything."""

import io
import json
import re
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.utils import timezone

from knowledge_graph import tasks as graph_tasks
from knowledge_graph.models import NameDecision
from memory.access.scope import user_scope
from memory.access.users import get_or_create_user
from memory.facade import MemoryFacade
from memory.lifecycle import erasure
from memory.models import EndUser, MemoryItem, Transfer, TransferPart
from memory.models.transfers import TransferState
from memory.portability import jobs, restoring, tasks
from memory.portability.checking import BrokenFile, check_file
from memory.portability.tables import LEFT_BEHIND, TABLE_OF
from memory.records import records
from memory.records.models import RecordEmbedding
from memory.records.texts import Kind
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from outcomes.exchanges import threads
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient, client_for
from tests.factories import keep_evaluation, keep_facts, keep_personality

NDJSON = "application/x-ndjson"
Line = dict[str, Any]


def fill_person(user: EndUser) -> MemoryItem:
    """Something in every room. Returns a memory."""
    memory, now = MemoryFacade("key:test"), timezone.now()
    lamp = memory.store(user, NewMemory("The lamp is repaired on Thursdays", speaker="Dana", thread_id="t"), now=now)
    memory.revise(user, lamp.item.pk, {"text": "The lamp is repaired on Fridays"}, now=now)
    gone = memory.store(user, NewMemory("The blue chair is broken", tier=Tier.HISTORY), now=now).item
    memory.remove(user, gone.pk, now=now)
    memory.store(
        user,
        NewMemory("Dana Levi works at Acme in Haifa", tier=Tier.MEMORY_BANK, tags=["identity"], importance=0.8),
        now=now,
    )
    turn = memory.search(user, SearchRequest("lamp"), now=now).turn_id
    tools = [{"name": "git", "ok": False, "ms": 1, "error": "timed out"}]
    memory.store_exchange(user, NewExchange("t", "Is the lamp repaired?", "Yes.", turn_id=turn, tools=tools), now=now)
    threads.give_title(user, "t", "The lamp", now=now, actor="key:test")
    memory.record_outcome(user, Outcome.WORKED, now=now, turn_id=turn)
    memory.record_outcome(user, Outcome.FAILED, now=now, turn_id=turn)
    memory.put_data(user, "ui.theme", {"dark": True}, now=now)
    keep_facts(user, "lamp", now)
    keep_evaluation(user, lamp.item, "lamp", now)
    keep_personality(user, "lamp", now)
    records.add_record(user, Kind.JOURNAL, {"title": "Lamp", "is_draft": True}, now=now)
    records.add_record(user, Kind.TODO, {"title": "Fetch the lamp"}, now=now)
    records.replace_preferences(user, {"language": "he"}, now=now)
    graph_tasks.learn_user(user.pk)
    with user_scope(user):
        NameDecision.objects.create(user=user, first="dana", second="dana levi", is_same=True)
    return lamp.item


def export(user: EndUser) -> bytes:
    out = io.BytesIO()
    MemoryFacade("test").export_person(user, out, now=timezone.now())
    return out.getvalue()


def rows_of(file: bytes) -> list[str]:
    return file.decode().splitlines()[1:]


def import_file(user: EndUser, file: bytes) -> Transfer:
    check = check_file(io.BytesIO(file))
    job = jobs.stage_import(user, io.BytesIO(file), check, now=timezone.now(), actor="test")
    done = jobs.write_import(user, job.pk, now=timezone.now())
    assert done is not None
    return done


@pytest.mark.django_db
def test_a_concept_that_was_used_often_leaves_and_arrives(user: EndUser, foreign_user: EndUser) -> None:
    """Its importance grows with its uses: an export of anybody who had asked thrice was refused."""
    memory, now = MemoryFacade("key:test"), timezone.now()
    memory.store(user, NewMemory("The lamp is repaired on Thursdays", tier=Tier.HISTORY), now=now)
    for _ in range(3):
        turn = memory.search(user, SearchRequest("When is the lamp repaired?"), now=now).turn_id
        memory.record_outcome(user, Outcome.WORKED, now=now, turn_id=turn)
    graph_tasks.learn_user(user.pk)
    file = export(user)
    concepts = read_concepts(file)
    assert max(one["importance"] for one in concepts) > 1
    assert max(one["uses"] for one in concepts) == 3

    assert import_file(foreign_user, file).state == TransferState.COMPLETED
    assert read_concepts(export(foreign_user)) == concepts

    name, organization = user.external_id, user.organization
    erasure.finish_erasure(erasure.request_erasure(user, now=timezone.now()).pk, now=timezone.now())
    back = get_or_create_user(organization, name)
    assert import_file(back, file).state == TransferState.COMPLETED
    assert rows_of(export(back)) == rows_of(file)


def read_concepts(file: bytes) -> list[Line]:
    """Without the ids of the people and rows they belong to, of which they have none."""
    return [line for line in map(json.loads, rows_of(file)) if line["type"] == "concept"]


def count(job: Transfer, what: str) -> int:
    return sum(counted.get(what, 0) for counted in job.counts.values())


@pytest.mark.django_db
def test_what_is_exported_erased_and_imported_is_exported_the_same(
    user: EndUser, foreign_user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    item = fill_person(user)
    file = export(user)
    types = {json.loads(line)["type"] for line in rows_of(file)}
    core = "memory version event tombstone exchange outcome action fact fact_evidence data journal preference turn"
    core += " personality personality_template evaluation_case evaluation_run thread_title"
    assert types >= set(f"{core} concept routing lesson entity mention episode fact_tombstone".split())

    # For another person every id is another, and the second time adds nothing.
    copy = import_file(foreign_user, file)
    assert copy.state == TransferState.COMPLETED
    assert copy.has_own_ids
    again = import_file(foreign_user, file)
    assert (count(again, "new"), again.state) == (0, TransferState.COMPLETED)
    with user_scope(foreign_user):
        assert MemoryItem.objects.for_user(foreign_user).filter(text__contains="Fridays").count() == 1
    assert export(user).splitlines()[1:] == file.splitlines()[1:]

    name, organization = user.external_id, user.organization
    erasure.finish_erasure(erasure.request_erasure(user, now=timezone.now()).pk, now=timezone.now())
    back = get_or_create_user(organization, name)
    assert import_file(back, file).state == TransferState.COMPLETED
    assert rows_of(export(back)) == rows_of(file)
    assert count(import_file(back, file), "new") == 0

    index_now(back)
    found = MemoryFacade().search(back, SearchRequest("when is the lamp repaired"), now=timezone.now())
    assert item.pk in {hit.item.pk for hit in found.hits}
    with user_scope(back):
        assert RecordEmbedding.objects.filter(user=back, kind=Kind.MESSAGE).count() == 2
        assert not TransferPart.objects.filter(user=back).exists()


@pytest.mark.django_db
def test_the_commands_write_a_file_and_read_it_for_somebody_else(
    user: EndUser, foreign_user: EndUser, tmp_path: Path
) -> None:
    fill_person(user)
    file = tmp_path / "ann.jsonl"

    told = run_command("export_user", "ann", "--org=acme", f"--out={file}")
    assert f"{file}: " in told
    assert " memory" in told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]
    named = ("import_user", "carla", str(file), "--org=umbra")
    preview = run_command(*named, "--dry-run")
    assert "would import for carla: " in preview
    assert "nothing was written" in preview
    assert not EndUser.objects.filter(external_id="carla").exists()
    assert re.search(r"imported for carla: [\d,]+ new, 0 already there", run_command(*named))
    assert re.search(r"imported for carla: 0 new, [\d,]+ already there", run_command(*named))
    carla = EndUser.objects.get(external_id="carla", organization=foreign_user.organization)
    assert count_texts(carla) == count_texts(user)

    for words, refusal in (
        (("export_user", "nobody", "--org=acme"), "Nothing is remembered of nobody in acme"),
        (("export_user", "ann", "--org=acme", f"--out={tmp_path}/none/ann"), "cannot be written: No such file"),
        (("import_user", "carla", f"{tmp_path}/none", "--org=umbra"), "cannot be read: No such file"),
    ):
        with pytest.raises(CommandError, match=refusal):
            run_command(*words)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(CommandError, match=r"(?s)^line \d+: .*Nothing was imported from ann.jsonl"):
        run_command(*named)


def run_command(*words: str) -> str:
    told = io.StringIO()
    call_command(*words, stdout=told)
    return told.getvalue()


def count_texts(user: EndUser) -> Counter[str]:
    with user_scope(user):
        return Counter(MemoryItem.objects.for_user(user).values_list("text", flat=True))


def test_every_table_of_a_person_is_exported_or_says_why_not() -> None:
    owned = {
        model
        for model in apps.get_models()
        for column in model._meta.concrete_fields
        if column.is_relation and column.related_model is EndUser
    }
    assert owned == set(TABLE_OF) | set(LEFT_BEHIND)


def post_file(api: ApiClient, file: bytes, query: str = "", media_type: str = NDJSON, **headers: str) -> Any:
    named = api.headers({name.replace("_", "-"): value for name, value in headers.items()})
    return api.http.generic("POST", api.url("import") + query, file, content_type=media_type, headers=named)


@pytest.mark.django_db
def test_an_import_that_is_sent_again_under_its_key_is_one_job(api: ApiClient, user: EndUser) -> None:
    file, other = render(MEMORY), render({**MEMORY, "text": "Wasps"})

    first = post_file(api, file, Idempotency_Key="move-1")
    again = post_file(api, file, Idempotency_Key="move-1")

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.content == first.content
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(jobs.list_transfers(user, 9)) == 1
    mismatch = post_file(api, other, Idempotency_Key="move-1")
    assert (mismatch.status_code, mismatch.json()["code"]) == (409, "idempotency_mismatch")
    # A file that is refused leaves its key free.
    assert post_file(api, b"{}", Idempotency_Key="move-2").status_code == 422
    assert post_file(api, file, Idempotency_Key="move-2").status_code == 202
    tasks.import_person(user.pk)
    assert count_texts(user) == {"Bees": 1}


@pytest.mark.django_db
def test_over_rest_a_file_is_taken_and_what_was_deleted_since_does_not_come_back(api: ApiClient, user: EndUser) -> None:
    gone = fill_person(user)
    response = api.get("export")
    file = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert response.headers["Content-Type"] == NDJSON
    assert json.loads(file.splitlines()[0])["format"] == "commonplace-export"
    assert client_for(user, ("read", "write")).get("export").status_code == 403
    assert jobs.list_transfers(user, 1)[0].actor == "key:test"

    MemoryFacade().remove(user, gone.pk, now=timezone.now())
    preview = post_file(api, file, "?dry_run=true").json()
    assert preview["counts"]["memory"] == {
        "new": 0,
        "already_there": 4,
        "refused": 1,
        "learned_again": 0,
        "passed_over": 0,
    }
    assert preview["counts"]["exchange"]["new"] == 0
    assert post_file(api, file, media_type="application/json").status_code == 415


@pytest.mark.django_db
def test_an_import_is_written_whole_whatever_kills_the_worker(
    user: EndUser, other_user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_person(user)
    file, stranger = export(user), client_for(other_user)
    job_id = post_file(stranger, file).json()["job_id"]
    assert stranger.get(f"import/{job_id}").json()["status"] == "pending"
    assert client_for(user).get(f"import/{job_id}").status_code == 404

    with monkeypatch.context() as patched:
        write, batches = restoring.Restoration.write, []

        def die_at_the_eighth(restoration: Any, table: Any, batch: Any) -> None:
            batches.append(table.name)
            write(restoration, table, batch)
            if len(batches) == 8:
                raise KeyboardInterrupt

        patched.setattr(restoring.Restoration, "write", die_at_the_eighth)
        with pytest.raises(KeyboardInterrupt):
            tasks.import_person(other_user.pk)
    with user_scope(other_user):
        assert not MemoryItem.objects.for_user(other_user).exists()
    assert jobs.DUE.list_users() == [other_user.pk]
    tasks.import_person(other_user.pk)
    done = stranger.get(f"import/{job_id}").json()
    assert (done["status"], done["counts"]["memory"]["new"], done["error"]) == ("completed", 5, None)
    assert jobs.DUE.list_users() == []

    # One that killed its worker three times is given up.
    post_file(stranger, file)
    [open_job] = jobs.list_open_imports(other_user)
    with user_scope(other_user):
        Transfer.objects.filter(user=other_user, pk=open_job).update(attempts=3)
    tasks.import_person(other_user.pk)
    failed = jobs.find_transfer(other_user, open_job)
    assert failed is not None
    assert (failed.state, failed.error[:15]) == (TransferState.FAILED, "the worker was ")


def line(named: str, **fields: Any) -> Line:
    return {"type": named, **fields}


ID, OTHER = "6f1c6a0e-0000-4000-8000-000000000001", "6f1c6a0e-0000-4000-8000-000000000002"
NOW = "2026-01-01T00:00:00Z"
MEMORY = {
    **line("memory", id=ID, tier="history", status="active", text="Bees", occurred_at=NOW, created_at=NOW),
    "updated_at": NOW,
    "score": 0.5,
    "importance": 0.7,
    "confidence": 0.7,
    "trust": 3,
    "source_type": "user",
}
HEADER = {"format": "commonplace-export", "version": 1}


def render(*lines: Line | bytes, header: Line | None = None) -> bytes:
    rows = [header or HEADER, *lines, {"type": "end", "lines": len(lines)}]
    return b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)


HOSTILE: list[tuple[bytes, str]] = [
    (b"", "line 1: the file ends before its last line"),
    (b"PK\x03\x04", "line 1: the line is not JSON"),
    (render(header={"format": "other", "version": 1}), 'line 1: format: must be "commonplace-export"'),
    (render(header={"format": "commonplace-export", "version": 2}), "line 1: version: must be 1"),
    (render(MEMORY).rpartition(b'{"type": "end"')[0], "line 3: the file ends before its last line"),
    (render(MEMORY) + b"{}", "line 4: stands after the end"),
    (render(b"[" * 100_000 + b"\n"), "line 2: the line is nested more than 32 deep"),
    (render(b'{"type": "memory", "type": "memory"}\n'), "line 2: type: is given more than once"),
    (render(b"[]\n"), "line 2: must be a JSON object"),
    (render(line("robot")), "line 2: type: is none that this release knows"),
    (render(line("memory", id=["x"])), "line 2: tier: is required"),
    (render({**MEMORY, "id": 7}), "line 2: id: must be a UUID"),
    (render({**MEMORY, "user_id": 1}), "line 2: user_id: unknown field"),
    (render({**MEMORY, "text": "a\x00b"}), "line 2: text: holds a NUL character"),
    (render({**MEMORY, "metadata": {"a": ["\ud800"]}}), "line 2: metadata.a[0]: is not valid UTF-8"),
    (render({**MEMORY, "text": "x" * 40_000}), "line 2: text: must have at most 32,768 characters"),
    (render({**MEMORY, "text": ""}), "line 2: text: must not be empty"),
    (render({**MEMORY, "score": 1.5}), "line 2: score: must be at most 1"),
    (render({**MEMORY, "score": True}), "line 2: score: must be a number"),
    (render(json.dumps(MEMORY).replace("0.5", "NaN").encode() + b"\n"), "line 2: NaN is not a JSON number"),
    (render({**MEMORY, "uses": 2**40}), "line 2: uses: must be at most 2147483647"),
    (render({**MEMORY, "trust": 9}), "line 2: trust: must be one of 1, 2, 3"),
    (render({**MEMORY, "occurred_at": "2999-01-01T00:00:00Z"}), "line 2: occurred_at: lies in the future"),
    (render({**MEMORY, "created_at": "2026-01-01"}), "line 2: created_at: must have a time zone"),
    (render({**MEMORY, "tags": "identity"}), "line 2: tags: must be a list"),
    (render(MEMORY, MEMORY), "line 3: id: is that of another memory of this file"),
    (
        render({**MEMORY, "parents": [OTHER]}, {**MEMORY, "id": OTHER, "parents": [ID]}),
        "line 3: parents: the memory descends from itself",
    ),
    (
        render(MEMORY, line("event", item_id=OTHER, kind="stored", at=NOW)),
        "line 3: item_id: names no memory of a line before",
    ),
]


@pytest.mark.django_db
def test_a_hostile_file_is_refused_with_line_and_rule_and_nothing_is_written(
    api: ApiClient, user: EndUser, foreign_user: EndUser
) -> None:
    for file, fault in HOSTILE:
        with pytest.raises(BrokenFile) as refused:
            check_file(io.BytesIO(file))
        assert str(refused.value).startswith(fault), (file[:200], str(refused.value))
    answer = post_file(api, render({**MEMORY, "score": 1.5}))
    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        [{"field": "line 2: score", "message": "must be at most 1"}],
    )
    assert not jobs.list_transfers(user, 1)

    # Texts lose their secrets, and a text that only looks like somebody else's row stays a text.
    secret = {**MEMORY, "text": "The wifi password is Trombone-4471-x"}
    import_file(foreign_user, render(secret))
    import_file(user, render(secret, line("event", item_id=ID, kind="stored", at=NOW)))
    with user_scope(user):
        [mine] = MemoryItem.objects.for_user(user)
    with user_scope(foreign_user):
        [theirs] = MemoryItem.objects.for_user(foreign_user)
    assert (str(theirs.pk), str(mine.pk) != ID) == (ID, True)
    assert "Trombone" not in mine.text
