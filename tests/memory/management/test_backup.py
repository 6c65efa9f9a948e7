"""An installation goes into an archive and comes back: whole, unchanged, or not at all."""

import io
import json
import zipfile
from contextlib import chdir
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import ApiKey, EndUser, MemoryItem, Organization
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from tests.api_client import client_for
from tests.factories import keep_facts


def run(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def rewrite(archive: Path, target: Path, name: str, body: bytes | None) -> Path:
    """The archive with another entry of that name, or without it."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
            elif body is not None:
                new.writestr(name, body)
    return target


def refuse_damaged(archive: Path, folder: Path) -> None:
    manifest = json.loads(zipfile.ZipFile(archive).read("manifest.json"))
    older = {**manifest, "migrations": manifest["migrations"][:-1]}
    for name, body, reason in [
        ("manifest.json", None, "no whole backup"),
        ("manifest.json", json.dumps({**manifest, "version": 2}).encode(), "commonplace-backup 2"),
        ("manifest.json", json.dumps(older).encode(), "of an older release"),
        ("tables/memory_item.copy", b"", "its digest differs"),
        ("tables/memory_item.copy", None, "the archive is damaged"),
    ]:
        with pytest.raises(CommandError, match=reason):
            run("restore", str(rewrite(archive, folder / "other.zip", name, body)))


def write_unnamed_backup(folder: Path, settings: Settings) -> None:
    """It lay in the current directory, wherever somebody stood."""
    kept, now = folder / "data" / "backups", folder / "elsewhere"
    now.mkdir()
    settings.MEMORY = {**settings.MEMORY, "INSTALLATION": {**settings.MEMORY["INSTALLATION"], "backups": str(kept)}}
    with chdir(now):
        told = run("backup")
    [made] = kept.iterdir()
    assert f"{made}:" in told
    assert (kept.stat().st_mode & 0o777, made.stat().st_mode & 0o777) == (0o700, 0o600)
    assert list(now.iterdir()) == []


@pytest.mark.django_db(transaction=True)
def test_an_installation_is_restored_as_it_was_and_only_into_an_empty_one(
    user: EndUser, tmp_path: Path, settings: Settings
) -> None:
    facade, now = MemoryFacade(), timezone.now()
    text = "The lamp\\is\trepaired\non Thursdays"
    item = facade.store(user, NewMemory(text, tags=["goal"], metadata={"a": 1}), now=now).item
    facade.revise(user, item.pk, {"importance": 0.9}, now=now)
    keep_facts(user, "lamp", now)
    key = client_for(user).key
    archive = tmp_path / "all.zip"
    assert "rows of" in run("backup", str(archive))
    assert archive.stat().st_mode & 0o077 == 0
    write_unnamed_backup(tmp_path, settings)

    with pytest.raises(CommandError, match=r"not empty \(organization has rows\)"):
        run("restore", str(archive), "--dry-run")
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE organization, operator CASCADE")

    refuse_damaged(archive, tmp_path)
    assert not EndUser.objects.exists()

    assert "nothing was written" in run("restore", str(archive), "--dry-run")
    assert not EndUser.objects.exists()
    assert "restored" in run("restore", str(archive))
    back = EndUser.objects.get(pk=user.pk)
    with user_scope(back):
        [row] = MemoryItem.objects.for_user(back).filter(pk=item.pk)
        assert (row.text, row.tags, row.metadata, row.importance, row.version) == (text, ["goal"], {"a": 1}, 0.9, 1)
        assert row.indexing == "pending"
    assert back.index_due_since is not None
    assert ApiKey.objects.get().hint == str(key)[: len(ApiKey.objects.get().hint)]
    found = facade.search(back, SearchRequest("lamp repaired"), now=timezone.now())
    assert item.pk in {hit.item.pk for hit in found.hits}
    # What is written next takes the next numbers.
    assert facade.store(back, NewMemory("The chair is blue"), now=timezone.now()).item.arrival is not None
    assert Organization.objects.create(slug="new", name="New").pk > back.organization_id
