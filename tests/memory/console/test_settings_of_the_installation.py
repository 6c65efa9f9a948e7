"""What runs the installation: settings in force without secrets, model calls, MCP, work that is started, erasure."""

import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from config import env
from memory.access.keys import Principal
from memory.console.settings.mcp_diagnostics import TOOL_TITLES
from memory.mcp.server import run_call
from memory.models import (
    AuditEvent,
    BackupRun,
    DriftReport,
    EndUser,
    Erasure,
    ModelCall,
    Organization,
    ReindexRun,
)
from memory.operations import mcp_activity
from memory.portability import backups, tasks
from memory.tools import TOOLS
from memory.web.callers import Caller
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

OF_INSTALLATION = ("/console/configuration", "/console/model-calls")


@pytest.mark.parametrize("page", OF_INSTALLATION)
def test_only_who_sees_everybody_sees_the_installation(
    console: Console, nobody: Console, user: EndUser, page: str
) -> None:
    assert console.get(page).status_code == 200
    assert b"<html" not in console.part("/console/configuration").content
    Organization.objects.create(slug="umbra", name="Umbra")
    assert console.get(page).status_code == 404
    assert nobody.get(page).status_code == 302


def test_settings_are_told_with_their_source_and_secrets_are_not(
    console: Console, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MEMORY_LLM_API_KEY", "METRICS_TOKEN", "RERANKER_URL", "QDRANT_URL", "LOG_DAYS"):
        monkeypatch.setitem(env.READ, name, env.READ[name])
    given = {
        "MEMORY_LLM_API_KEY": "sk-very-secret",
        "METRICS_TOKEN": "hush://very-secret/x",
        "RERANKER_URL": "http://vera:very-secret@rerank:8080/very-secret",
        "QDRANT_URL": "http://vera:very-secret@vectors:6333",
        "LOG_DAYS": "77",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    for name in ("MEMORY_LLM_API_KEY", "METRICS_TOKEN", "RERANKER_URL"):
        env.env_secret(name)
    env.env_str("QDRANT_URL")
    env.env_int("LOG_DAYS", 30)
    page = console.get("/console/configuration?own=1").content.decode()
    assert "very-secret" not in page
    for shown in ("http://rerank:8080", "http://vectors:6333", "77", "MEMORY_LLM_API_KEY"):
        assert shown in page
    line = page.split(">LOG_DAYS<")[1].split("</tr>")[0]
    assert ("environment" in line, ">30<" in line, "are kept" in line) == (True, True, True)
    assert "RATE_LIMIT_PER_SECOND" not in page
    found = console.part("/console/configuration?q=rate_limit").content.decode()
    assert ("RATE_LIMIT_PER_SECOND" in found, "LOG_DAYS" in found) == (True, False)


def test_model_calls_are_added_up_by_purpose_and_by_day(console: Console, user: EndUser) -> None:
    for cost, outcome in ((0.5, "ok"), (0.25, "late")):
        ModelCall.objects.create(purpose="fact_pairs", model="m", outcome=outcome, prompt_tokens=100, cost=cost, ms=50)
    ModelCall.objects.create(purpose="old", model="m", outcome="ok", cost=9, at=timezone.now() - timedelta(days=60))
    page = console.get("/console/model-calls?days=30").content.decode()
    assert "2 calls, 200 tokens, cost 0.7500" in page
    assert "9.0000" not in page
    assert "/console/prompt-fact_pairs" in page
    assert "9.0000" in console.get("/console/model-calls?days=90").content.decode()


def test_calls_over_mcp_are_listed_of_own_organisations_and_without_clients_words(
    console: Console, outsider: Console, organization: Organization, user: EndUser
) -> None:
    key = Principal(organization.pk, 7, "Of ann", frozenset({"read"}), None, None)
    refused = run_call(lambda: Caller(key, "ann"), "drop_tables_of_ann", {})
    assert refused.is_error
    run_call(lambda: Caller(key, "ann"), "search_memory", {"query": "zebra of ann"})
    calls = mcp_activity.list_calls(organization.pk, 10)
    assert [(call["tool"], call["outcome"]) for call in calls] == [("search_memory", "ok"), ("unknown", "refused")]
    assert "ann" not in str(calls)
    mcp_activity.notice_session(organization.pk, "a" * 32, now=timezone.now())
    page = console.get("/console/mcp").content.decode()
    assert "1 session in the last hour" in page
    assert "search_memory" in page.split("Outcome")[1]
    assert "Outcome" not in outsider.get("/console/mcp").content.decode()
    mcp_activity.forget_session(organization.pk, "a" * 32)
    assert "0 sessions in the last hour" in console.get("/console/mcp").content.decode()


def test_only_owners_start_work_and_only_of_everything(
    console: Console, governing: Console, user: EndUser, place: str
) -> None:
    for action in ("reindex", "check", "backup"):
        assert console.post("/console/data", {"action": action}).status_code == 403
    said = console.get("/console/data")
    assert (said.status_code, b"ask <bdi>vera</bdi>" in said.content) == (403, True)
    assert b'href="/console/settings"' in said.content
    for page in ("settings", "find?q=data"):
        assert b"/console/data" not in console.get(f"/console/{page}").content
    assert b"/console/data" in governing.get("/console/settings").content
    assert console.get(f"{place}/erase").status_code == 403
    assert console.post(f"{place}/erase", {"confirm": "ann"}).status_code == 403
    assert governing.post("/console/data", {"action": "nonsense"}).status_code == 404
    Organization.objects.create(slug="umbra", name="Umbra")
    assert governing.post("/console/data", {"action": "backup"}).status_code == 403
    assert b"Back up" not in governing.get("/console/data").content
    for model in (ReindexRun, DriftReport, BackupRun, Erasure):
        assert not model.objects.exists()


def test_the_index_is_rebuilt_paused_and_compared(governing: Console, user: EndUser) -> None:
    for action, state in (("reindex", "running"), ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        assert governing.post("/console/data", {"action": action}, follow=True).status_code == 200
        assert ReindexRun.objects.get().state == state
    said = governing.post("/console/data", {"action": "pause"}, follow=True).content
    assert b"Not done: no run is going on" in said
    governing.post("/console/data", {"action": "check"})
    assert b"goes on already" in governing.post("/console/data", {"action": "check"}, follow=True).content
    assert governing.part("/console/data").status_code == 200
    DriftReport.objects.update(finished_at=timezone.now())
    assert governing.part("/console/data").status_code == 286
    wanted = ["reindex.started", "reindex.changed", "reindex.changed", "reindex.changed", "check.started"]
    assert list(AuditEvent.objects.order_by("pk").values_list("action", flat=True)) == wanted


def test_a_backup_is_written_by_the_worker_whole_or_not_at_all(
    governing: Console, user: EndUser, settings: Settings, tmp_path: Path
) -> None:
    here = {**settings.MEMORY["INSTALLATION"], "backups": str(tmp_path / "kept")}
    settings.MEMORY = {**settings.MEMORY, "INSTALLATION": here}
    governing.post("/console/data", {"action": "backup"})
    assert b"is being written already" in governing.post("/console/data", {"action": "backup"}, follow=True).content
    run = BackupRun.objects.get()
    assert b"waits for a worker" in governing.get("/console/data").content
    # A worker that lost it before: the sweep finds it.
    assert backups.list_waiting_backups(timezone.now() + backups.PATIENCE * 2) == [run.pk]
    tasks.write_backup(str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.tables_done, run.error) == ("done", run.tables_total, "")
    assert zipfile.ZipFile(run.path).testzip() is None
    assert Path(run.path).stat().st_mode & 0o077 == 0
    assert run.path in governing.get("/console/data").content.decode()

    settings.MEMORY = {**settings.MEMORY, "INSTALLATION": {**here, "backups": "/dev/null/nowhere"}}
    governing.post("/console/data", {"action": "backup"})
    tasks.write_backup(str(BackupRun.objects.get(state="running").pk))
    failed = BackupRun.objects.get(state="failed")
    assert failed.error
    assert failed.error in governing.get("/console/data").content.decode().replace("&#x27;", "'")


def test_a_person_is_erased_by_typing_their_id(
    governing: Console, user: EndUser, other_user: EndUser, place: str
) -> None:
    MemoryItemFactory.create(user=user, text="The lamp is repaired on Thursdays")
    assert "/console/acme/ann/erase" in governing.get("/console/data?q=an").content.decode()
    assert b"1 memory and 0 exchanges" in governing.get(f"{place}/erase").content
    for wrong in ("", "ben", "Ann"):
        assert governing.post(f"{place}/erase", {"confirm": wrong}).status_code == 422
    assert not Erasure.objects.exists()
    page = governing.post(f"{place}/erase", {"confirm": "ann"}, follow=True).content.decode()
    assert "goes on" in page
    assert governing.get(place).status_code == 404
    [event] = AuditEvent.objects.filter(action="person.erased")
    assert (event.subject, event.actor) == (str(Erasure.objects.get().pk), "operator:vera")
    told = governing.get("/console/settings").content.decode().split("What was changed")[1].split("</main>")[0]
    assert "ann" not in told
    assert EndUser.objects.filter(external_id="ben").exists()


def test_tools_are_named_in_the_language_of_the_page(console: Console) -> None:
    assert {name: str(title) for name, title in TOOL_TITLES.items()} == {
        tool.name: tool.title for tool in TOOLS.values()
    }
    page = console.get("/console/mcp", headers={"Accept-Language": "de"}).content.decode()
    assert "Eine Erinnerung archivieren" in page
    assert "Archive a memory" not in page
