"""Erasing a person from the command line: asked for twice, recorded, and gone from every answer."""

import io
import sys

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.models import AuditEvent, EndUser, Erasure
from memory.models.administration import AuditAction
from memory.store.admission import NewMemory


@pytest.fixture(autouse=True)
def remembered(user: EndUser) -> None:
    MemoryFacade().store(user, NewMemory("The key hangs behind the boiler"), now=timezone.now())


def erase(*words: str) -> str:
    out = io.StringIO()
    call_command("erase_person", *words, stdout=out)
    return out.getvalue()


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: text)


def is_there(user: EndUser) -> bool:
    return find_user(user.organization, user.external_id) is not None


def test_it_is_gone_and_recorded_when_its_id_is_typed(user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, user.external_id)
    told = erase(user.organization.slug, user.external_id)
    assert not is_there(user)
    job = Erasure.objects.get()
    assert f"job {job.pk}" in told
    assert "1 memories and 0 exchanges" in told
    assert "Backups from before still hold them" in told
    recorded = AuditEvent.objects.get(action=AuditAction.PERSON_ERASED.value)
    assert recorded.subject == str(job.pk)
    assert recorded.actor.startswith("command:")


def test_a_slip_of_the_hand_erases_nobody(user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="--yes"):
        erase(user.organization.slug, user.external_id)
    type_in(monkeypatch, f"{user.external_id}a")
    with pytest.raises(CommandError, match="another id"):
        erase(user.organization.slug, user.external_id)
    for words, rule in (
        ((user.organization.slug, "nobody"), "has no user"),
        (("nowhere", user.external_id), "no organisation"),
        ((user.organization.slug, "#space"), "a user id is"),
    ):
        with pytest.raises(CommandError, match=rule):
            erase(*words, "--yes")
    assert is_there(user)
    assert not Erasure.objects.exists()


def test_a_program_asks_for_it_with_yes(user: EndUser) -> None:
    erase(user.organization.slug, user.external_id, "--yes")
    assert not is_there(user)
