"""Every page asked by a member, by an operator of another organisation, and by nobody."""

import uuid

import pytest
from django.conf import settings
from django.test import override_settings
from django.urls import URLPattern, reverse
from django.utils import timezone

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.console import urls
from memory.facade import MemoryFacade
from memory.models import AuditEvent, EndUser, Fact, MemoryItem, Operator, Organization, WebhookEndpoint
from memory.tiers import Status, Trust
from tests.factories import MemoryItemFactory, OperatorFactory
from tests.memory.console.conftest import Console, console_for

PAGES = [
    "",
    "/find",
    "/find?q=lamp",
    "/search",
    "/search?query=lamp",
    "/context",
    "/context?query=lamp",
    "/recall",
    "/recall?query=lamp",
    "/memories",
    "/memories/{id}",
    "/memories/{id}/edit",
    "/facts",
    "/facts/reviews",
    "/facts/reviews/suspected",
    "/inbox/duplicates",
    "/inbox/doubtful_facts",
    "/inbox/unexplained_failures",
    "/inbox/expiring",
    "/inbox/redactions",
    "/record",
    "/timeline",
    "/timeline?as_of=2026-11-01",
    "/hot",
    "/bank",
    "/measure",
    "/measure?ask=lamp",
    "/measure/questions.jsonl",
    "/transfer",
    "/links",
    "/conversations",
    "/replay",
    "/replay?query=lamp",
    "/hot?thread=lamp",
    "/connect",
    "/connect?client=rest",
    "/personality",
    "/personality?template=teacher",
    "/personality/teacher.yaml",
]
# What a key needs `admin` for, and making what is a key.
OWNERS_CHANGES = {
    "/console/acme/ann/links": {"hours": "24"},
    "/console/acme/ann/connect": {"client": "rest"},
    "/console/acme/ann/transfer/export": {},
    "/console/acme/ann/transfer/import": {},
    "/console/vocabulary": {"action": "retire", "kind": "topic", "name": "travel"},
}
FACT_PAGES = ["", "/correct", "/forget"]
FACT_CHANGES = ["confirm", "reject", "restore", "forget", "correct"]
QUESTIONS = ["/memories/{id}/vouch", "/memories/{id}/delete", "/memories/{id}/pin"]
CHANGES = {
    "archive": {},
    "restore": {},
    "delete": {},
    "edit": {"text": "changed"},
    "pin": {"text": "x", "tags": "x"},
    "vouch": {},
    "outcome": {"outcome": "worked"},
    "index": {},
    "always": {"always": "yes"},
}


@pytest.fixture
def item(user: EndUser) -> MemoryItem:
    return MemoryItemFactory.create(user=user, text="The lamp is repaired on Thursdays", trust=Trust.EXTERNAL)


@pytest.mark.parametrize("page", PAGES + QUESTIONS)
def test_a_page_is_its_members_only(
    console: Console, outsider: Console, nobody: Console, place: str, item: MemoryItem, page: str
) -> None:
    path = place + page.format(id=item.pk)
    for ask in ("get", "part"):
        answer = getattr(console, ask)(path)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
        assert "HX-Request" in answer.headers["Vary"]
        assert getattr(outsider, ask)(path).status_code == 404
        assert getattr(outsider, ask)(f"/console/acme/nobody{page.format(id=item.pk)}").status_code == 404
        assert b"lamp" not in getattr(nobody, ask)(path).content
    assert nobody.get(path).status_code == 302


@pytest.mark.parametrize(
    "page",
    [
        "",
        "/search?query=lamp",
        "/context?query=lamp",
        "/recall?query=lamp",
        "/memories",
        "/memories/{id}",
        "/facts",
        "/facts/reviews",
    ],
)
def test_a_part_is_not_a_page_and_a_page_is_not_a_part(
    console: Console, place: str, item: MemoryItem, page: str
) -> None:
    path = place + page.format(id=item.pk)
    assert b"<html" in console.get(path).content
    if page:
        assert b"<html" not in console.part(path).content
    restored = console.part(path, **{"HX-History-Restore-Request": "true"})
    assert b"<html" in restored.content


@pytest.mark.parametrize("action", CHANGES)
def test_nothing_is_changed_by_who_may_not(
    outsider: Console, nobody: Console, place: str, item: MemoryItem, action: str
) -> None:
    path = f"{place}/memories/{item.pk}/{action}"
    assert outsider.post(path, CHANGES[action]).status_code == 404
    assert nobody.post(path, CHANGES[action]).status_code == 302
    assert_unchanged(item)


@pytest.mark.parametrize("path", OWNERS_CHANGES)
def test_a_member_is_told_whom_to_ask(console: Console, owner: Operator, user: EndUser, path: str) -> None:
    refused = console.post(path, OWNERS_CHANGES[path])
    assert (refused.status_code, b"ask <bdi>vera</bdi>" in refused.content) == (403, True)
    page = console.get(path.removesuffix("/export").removesuffix("/import"), OWNERS_CHANGES[path])
    assert (page.status_code, b"ask <bdi>vera</bdi>" in page.content) == (200, True)
    assert b'<form class="form kept-in-print"' not in page.content
    assert not AuditEvent.objects.exists()


def test_a_webhook_is_its_owners_to_change(console: Console, owner: Operator, organization: Organization) -> None:
    row = WebhookEndpoint.objects.create(organization=organization, url="http://127.0.0.1:9/", events=["memory.stored"])
    fields = {"organization": organization.pk, "url": "http://127.0.0.1:9/x", "events": ["memory.stored"]}
    assert console.post("/console/webhooks", fields).status_code == 422
    assert console.post(f"/console/webhook-{row.pk}", {"action": "delete"}).status_code == 403
    page = console.get(f"/console/webhook-{row.pk}").content
    assert (b"ask <bdi>vera</bdi>" in page, b'name="action"' in page) == (True, False)
    assert b"Owners of an organisation add" in console.get("/console/webhooks").content
    assert WebhookEndpoint.objects.count() == 1


@pytest.mark.parametrize("action", CHANGES)
def test_reading_a_page_changes_nothing(console: Console, place: str, item: MemoryItem, action: str) -> None:
    console.get(f"{place}/memories/{item.pk}/{action}")
    console.part(f"{place}/memories/{item.pk}/{action}?confirm=yes")
    assert_unchanged(item)


def assert_unchanged(item: MemoryItem) -> None:
    with user_scope(item.user):
        now = MemoryItem.objects.get(pk=item.pk)
    assert (now.text, now.status, now.updated_at) == (item.text, Status.ACTIVE, item.updated_at)
    assert (now.score, now.trust, now.indexing) == (item.score, item.trust, item.indexing)


@pytest.fixture
def fact(user: EndUser) -> Fact:
    stated = MemoryFacade().state_fact(user, "The lamp is repaired on Thursdays.", now=timezone.now()).fact
    assert stated is not None
    return stated


@pytest.mark.parametrize("page", FACT_PAGES)
def test_a_fact_is_its_members_only(
    console: Console, outsider: Console, nobody: Console, place: str, fact: Fact, page: str
) -> None:
    path = f"{place}/facts/{fact.pk}{page}"
    for ask in ("get", "part"):
        answer = getattr(console, ask)(path)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
        assert getattr(outsider, ask)(path).status_code == 404
        assert b"lamp" not in getattr(nobody, ask)(path).content
    assert nobody.get(path).status_code == 302


@pytest.mark.parametrize("action", FACT_CHANGES)
def test_a_fact_is_changed_by_its_members_and_by_sending_only(
    console: Console, outsider: Console, nobody: Console, place: str, fact: Fact, action: str
) -> None:
    path = f"{place}/facts/{fact.pk}/{action}"
    assert outsider.post(path).status_code == 404
    assert nobody.post(path).status_code == 302
    console.get(path)
    console.part(path)
    with user_scope(fact.user):
        now = Fact.objects.get(pk=fact.pk)
    assert (now.statement, now.state, now.revision, now.is_confirmed) == (fact.statement, "active", 1, False)


def test_a_fact_is_not_found_at_another_person(
    console: Console, place: str, other_user: EndUser, foreign_user: EndUser
) -> None:
    for owner in (other_user, foreign_user):
        theirs = MemoryFacade().state_fact(owner, "I live in Leeds.", now=timezone.now()).fact
        assert theirs is not None
        for page in FACT_PAGES:
            assert console.get(f"{place}/facts/{theirs.pk}{page}").status_code == 404
        for action in FACT_CHANGES:
            assert console.post(f"{place}/facts/{theirs.pk}/{action}").status_code == 404
    assert b"Leeds" not in console.get(f"{place}/facts", {"state": "all"}).content
    assert console.get(f"{place}/facts/{uuid.uuid4()}").status_code == 404


def test_a_memory_is_not_found_at_another_person(
    console: Console, place: str, other_user: EndUser, foreign_user: EndUser
) -> None:
    for owner in (other_user, foreign_user):
        theirs = MemoryItemFactory.create(user=owner)
        for page in ("", "/edit", "/delete"):
            assert console.get(f"{place}/memories/{theirs.pk}{page}").status_code == 404
        assert console.post(f"{place}/memories/{theirs.pk}/delete").status_code == 404
    assert console.get(f"{place}/memories/{uuid.uuid4()}").status_code == 404


def test_a_superuser_sees_every_organisation(place: str, foreign_user: EndUser) -> None:
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    assert root.get(place).status_code == 200
    assert root.get("/console/umbra/ann").status_code == 200


def test_losing_the_membership_closes_the_pages_at_once(console: Console, operator: Operator, place: str) -> None:
    assert console.get(place).status_code == 200
    operator.organizations.clear()
    assert console.get(place).status_code == 404
    assert console.get("/console/").headers["Location"] == "/console/people"


def test_every_address_of_the_console_asks_who_is_there(nobody: Console) -> None:
    """A page added without its guard fails here."""
    open_to_all = {"login", "logout", "theme", "display"}
    ids = {
        name: uuid.uuid4()
        for name in (
            *("item_id", "exchange_id", "fact_id", "review_id", "endpoint_id", "book_id", "job_id", "link_id"),
            *("case_id", "run_id", "batch_id", "decided_id"),
        )
    }
    values = {
        "organization": "acme",
        "external_id": "ann",
        "event_id": 1,
        "number": 0,
        "key_id": 1,
        "slug": "crew-x7f2qa",
        "name": "fact_pairs",
        "template_id": "teacher",
        "kind": "expiring",
        "matter_id": "7",
        **ids,
    }
    for pattern in urls.urlpatterns:
        assert isinstance(pattern, URLPattern)
        if pattern.name in open_to_all:
            continue
        names = pattern.pattern.converters
        address = reverse(f"console:{pattern.name}", kwargs={name: values[name] for name in names})
        answer = nobody.get(address)
        if answer.status_code == 405:
            answer = nobody.post(address)
        assert (answer.status_code, "/console/login" in answer.headers["Location"]) == (302, True), pattern.name


def test_what_is_not_found_keeps_the_way_back(console: Console, place: str) -> None:
    answer = console.get(f"{place}/memories/{uuid.uuid4()}")
    assert answer.status_code == 404
    assert b'href="/console/settings"' in answer.content
    assert b"may not see it" in answer.content


def test_the_pages_say_when_the_memory_is_switched_off(console: Console, place: str) -> None:
    flags = {**memory_conf().flags, "system": False}
    with override_settings(MEMORY={**settings.MEMORY, "FLAGS": flags}):
        answer = console.get(f"{place}/memories")
    assert answer.status_code == 503
    assert b"switched off" in answer.content
