"""A person looks at their own page by a link: everything they can do there, and nothing else."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memory.access.personal_links import DEFAULT_LIFE, OPEN_FOR, drop_ended_links
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, MemoryItem, PersonalLink
from memory.models.facts import FactState
from memory.personal_page.session import COOKIE, MOST_REFUSED
from memory.store.admission import NewMemory
from memory.tiers import Status, Tier
from tests.api_client import ApiClient, client_for
from tests.factories import MemoryItemFactory, keep_facts
from tests.memory.console.conftest import owner_of

memory = MemoryFacade("operator:olga")
WEEK = timedelta(days=7)


def make_token(user: EndUser, life: timedelta = WEEK) -> str:
    return memory.make_personal_link(user, life, now=timezone.now())[1]


def visit(user: EndUser) -> Client:
    browser = Client()
    assert browser.get(f"/me/{make_token(user)}").status_code == 302
    return browser


def keep(user: EndUser, text: str, tier: Tier = Tier.MEMORY_BANK) -> MemoryItem:
    return memory.store(user, NewMemory(text, tier=tier, tags=("identity",)), now=timezone.now()).item


def test_a_link_is_exchanged_for_a_session_and_leaves_no_trace_in_the_address(user: EndUser) -> None:
    browser, token = Client(), make_token(user)
    answer = browser.get(f"/me/{token}")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/me")
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    cookie = answer.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/me")
    assert token not in cookie.value
    page = browser.get("/me")
    assert (page.status_code, token in page.content.decode()) == (200, False)
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    with user_scope(user):
        [row] = PersonalLink.objects.all()
    assert row.last_used_at is not None
    assert token.partition("-")[2] not in row.digest


def test_what_opens_nothing_is_answered_alike(user: EndUser, other_user: EndUser) -> None:
    sound, now = make_token(user), timezone.now()
    expired, revoked, erased = make_token(user), make_token(user), make_token(other_user)
    with user_scope(user):
        rows = list(PersonalLink.objects.order_by("created_at"))
        PersonalLink.objects.filter(pk=rows[1].pk).update(expires_at=now)
    memory.revoke_personal_links(user, now=now, link_id=rows[2].pk)
    memory.request_erasure(other_user, now=now)
    secret = sound.partition("-")[2]
    foreign = f"{other_user.pk}-{secret}"
    refused = [expired, revoked, erased, foreign, f"{user.pk}-{'x' * 43}", f"{2**62}-{secret}", "nothing"]
    answers = [Client().get(f"/me/{token}") for token in refused]
    assert {answer.status_code for answer in answers} == {404}
    # The form token is made anew for every page.
    assert len({re.sub(rb'Token": "\w+"', b"", answer.content) for answer in answers}) == 1
    assert not any(COOKIE in answer.cookies for answer in answers)
    assert Client().get(f"/me/{sound}").status_code == 302


def test_trying_links_is_slowed_down(user: EndUser) -> None:
    browser = Client()
    for _ in range(MOST_REFUSED):
        assert browser.get("/me/nothing").status_code == 404
    answer = browser.get(f"/me/{make_token(user)}")
    assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (429, True)


def test_the_session_shows_and_touches_nobody_else(user: EndUser, other_user: EndUser) -> None:
    keep(user, "Ann keeps bees on the roof")
    theirs = keep(other_user, "Ben hides his key under the mat")
    keep_facts(other_user, "lamp", timezone.now())
    with user_scope(other_user):
        fact = Fact.objects.filter(state=FactState.ACTIVE)[0]
    browser = visit(user)
    for path in ("/me", "/me?q=lamp", "/me/memories", "/me/memories?q=key", "/me/set-aside", "/me/everything"):
        text = browser.get(path).content.decode()
        assert "Ben hides" not in text, path
        assert fact.statement not in text, path
    for action in ("edit", "archive", "restore", "delete"):
        assert browser.post(f"/me/memories/{theirs.pk}/{action}", {"text": "x", "version": 1}).status_code == 404
    for action in ("correct", "reject", "restore", "delete"):
        assert browser.post(f"/me/facts/{fact.pk}/{action}").status_code == 404
    missing = browser.get(f"/me/memories/{theirs.pk}/edit").content.decode()
    assert ("Page not found" in missing, "/console/" in missing) == (True, False)
    held = memory.get(other_user, theirs.pk)
    assert held is not None
    assert (held.text, held.status) == ("Ben hides his key under the mat", Status.ACTIVE)
    # Nor does it open another door.
    assert browser.get(f"/console/{user.organization.slug}/{user.external_id}").status_code == 302
    assert browser.get("/console/people").status_code == 302
    assert browser.get(f"/api/v1/users/{user.external_id}/export").status_code == 401


def test_without_a_session_there_is_no_page(user: EndUser) -> None:
    item = keep(user, "Ann keeps bees on the roof")
    paths = ["/me", "/me/memories", "/me/set-aside", "/me/everything", f"/me/memories/{item.pk}/edit"]
    assert {Client().get(path).status_code for path in paths} == {404}
    for path in ("/me/everything/download", "/me/everything/delete", f"/me/memories/{item.pk}/archive"):
        assert Client().post(path, {"word": "delete"}).status_code == 404
    forged = Client()
    forged.cookies[COOKIE] = "WzEsIjAiLDFd:1:x"
    assert forged.get("/me").status_code == 404


def test_a_form_of_another_site_changes_nothing(user: EndUser) -> None:
    item, browser = keep(user, "Ann keeps bees on the roof"), Client(enforce_csrf_checks=True)
    browser.get(f"/me/{make_token(user)}")
    paths = [f"/me/memories/{item.pk}/archive", "/me/everything/delete", "/me/everything/download", "/me/sign-out"]
    assert {browser.post(path, {"word": "delete"}).status_code for path in paths} == {403}
    assert browser.get("/me/memories").status_code == 200


def test_signing_out_expiry_and_revoking_end_what_is_open(user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = visit(user)
    copy = Client()
    copy.cookies[COOKIE] = browser.cookies[COOKIE].value
    assert copy.get("/me").status_code == 200
    assert browser.post("/me/sign-out").status_code == 200
    assert (browser.get("/me").status_code, copy.get("/me").status_code) == (404, 404)

    browser, later = visit(user), timezone.now() + OPEN_FOR
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "now", lambda: later)
        assert browser.get("/me").status_code == 404
    assert browser.get("/me").status_code == 200
    assert memory.revoke_personal_links(user, now=timezone.now()) == 2
    assert browser.get("/me").status_code == 404
    drop_ended_links(user, timezone.now())
    with user_scope(user):
        assert not PersonalLink.objects.exists()


def test_a_person_corrects_rejects_and_takes_it_back(user: EndUser) -> None:
    keep_facts(user, "lamp", timezone.now())
    browser = visit(user)
    with user_scope(user):
        fact = Fact.objects.filter(state=FactState.ACTIVE)[0]
    assert fact.statement in browser.get("/me").content.decode()
    assert browser.get(f"/me/facts/{fact.pk}/correct").status_code == 200
    form = {"statement": "Ann repairs clocks", "valid_from": "2026-01-02", "valid_to": "", "revision": fact.revision}
    stale = browser.post(f"/me/facts/{fact.pk}/correct", {**form, "revision": fact.revision + 9})
    assert (stale.status_code, "changed while you were writing" in stale.content.decode()) == (422, True)
    told = browser.post(f"/me/facts/{fact.pk}/correct", form, follow=True).content.decode()
    assert "Corrected." in told
    assert "Ann repairs clocks" in told

    with user_scope(user):
        held = Fact.objects.get(statement="Ann repairs clocks", state=FactState.ACTIVE)
    told = browser.post(f"/me/facts/{held.pk}/reject", follow=True).content.decode()
    assert "Ann repairs clocks" not in told
    # Undone where it was done.
    undo = f"/me/facts/{held.pk}/restore"
    assert f'action="{undo}"' in told
    assert "Ann repairs clocks" in browser.post(undo, {"back": "facts"}, follow=True).content.decode()
    browser.post(f"/me/facts/{held.pk}/reject")
    assert "Ann repairs clocks" in browser.get("/me/set-aside").content.decode()
    browser.post(f"/me/facts/{held.pk}/restore")
    assert "Ann repairs clocks" in browser.get("/me").content.decode()
    assert "cannot be brought back" in browser.get(f"/me/facts/{held.pk}/delete").content.decode()
    browser.post(f"/me/facts/{held.pk}/delete")
    for path in ("/me", "/me/set-aside"):
        assert "Ann repairs clocks" not in browser.get(path).content.decode()


def test_facts_that_one_sentence_told_are_told_apart_by_what_was_read(user: EndUser) -> None:
    memory.state_fact(user, "I live in Leeds and work as a nurse.", now=timezone.now())
    page = " ".join(re.sub(r"<[^>]*>", " ", visit(user).get("/me").content.decode()).split())
    assert page.count("I live in Leeds and work as a nurse.") == 2
    assert "lives in leeds" in page.casefold()
    assert "works as nurse" in page.casefold()


def test_a_person_edits_sets_aside_and_deletes_what_is_kept(
    user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    item = keep(user, "Ann keeps <b>bees</b> on the roof")
    index_now(user)
    browser = visit(user)
    text = browser.get("/me/memories?q=bees").content.decode()
    assert "Ann keeps &lt;b&gt;bees" in text
    assert "score" not in text
    assert browser.get(f"/me/memories/{item.pk}/edit").status_code == 200
    form = {"text": "Ann keeps bees in the garden", "version": item.version}
    assert "Saved." in browser.post(f"/me/memories/{item.pk}/edit", form, follow=True).content.decode()
    assert browser.post(f"/me/memories/{item.pk}/edit", form).status_code == 422
    assert browser.post(f"/me/memories/{item.pk}/edit", {"text": "", "version": 2}).status_code == 422

    told = browser.post(f"/me/memories/{item.pk}/archive", follow=True).content.decode()
    assert "in the garden" not in told
    assert f'action="/me/memories/{item.pk}/restore"' in told
    assert "in the garden" in browser.get("/me/set-aside").content.decode()
    assert "It is back." in browser.post(f"/me/memories/{item.pk}/restore", follow=True).content.decode()
    assert memory.list_events(user, item.pk)[0].actor == "person"
    assert "in the garden" in browser.get(f"/me/memories/{item.pk}/delete").content.decode()
    browser.post(f"/me/memories/{item.pk}/delete")
    assert memory.get(user, item.pk) is None


def test_a_person_takes_everything_away_and_deletes_it(user: EndUser) -> None:
    keep(user, "Ann keeps bees on the roof")
    owner_of(user.organization, "olga")
    token = make_token(user)
    browser = Client()
    browser.get(f"/me/{token}")
    answer = browser.post("/me/everything/download")
    file = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert "Ann keeps bees" in file
    assert token.partition("-")[2] not in file
    assert "personal_link" not in file
    assert browser.post("/me/everything/delete", {"word": "remove"}).status_code == 422
    assert browser.get("/me").status_code == 200
    assert "Everything is deleted" in browser.post("/me/everything/delete", {"word": "Delete"}).content.decode()
    assert browser.get("/me").status_code == 404
    assert Client().get(f"/me/{token}").status_code == 404


def test_a_link_is_made_and_revoked_over_rest(api: ApiClient, user: EndUser) -> None:
    made = api.post("link", {"hours": 1})
    assert made.status_code == 201
    url = json.loads(made.content)["url"]
    place = url[url.index("/me/") :]
    assert Client().get(place).status_code == 302
    for hours in (0, 721, "1"):
        assert api.post("link", {"hours": hours}).status_code == 422
    assert client_for(user, ("read", "write")).post("link", {}).status_code == 403
    assert api.delete("link").json() == {"revoked": 1}
    assert Client().get(place).status_code == 404


@pytest.mark.parametrize("body", [None, {}])
def test_a_link_needs_no_body(api: ApiClient, user: EndUser, body: object) -> None:
    made = api.post("link", body).json()
    assert abs(datetime.fromisoformat(made["expires_at"]) - timezone.now() - DEFAULT_LIFE) < timedelta(minutes=1)


def test_what_was_said_stands_before_the_passages_of_books(user: EndUser) -> None:
    browser = visit(user)
    said = keep(user, "I read at night by the lamp", Tier.HISTORY)
    for number in range(31):
        MemoryItemFactory.create(user=user, tier=Tier.BOOKS, text=f"Passage {number} of the book of lamps")
    first, second = (browser.get(f"/me/memories?page={number}").content.decode() for number in (1, 2))
    assert said.text in first
    assert said.text not in second
    assert (first.count("of the book of lamps"), second.count("of the book of lamps")) == (29, 2)
    assert ("?page=2" in first, "?page=3" in second) == (True, False)


def test_pages_go_on_within_what_was_said_and_over_into_books(user: EndUser) -> None:
    """Active and dormant ones of several tiers, 30 to a page, each once and the newest first."""
    browser, now = visit(user), timezone.now()
    texts = [f"Note {number:02} of the shelf" for number in range(65)]
    for number, text in enumerate(texts):
        tier = Tier.BOOKS if number >= 62 else (Tier.HISTORY, Tier.PATTERNS)[number % 2]
        status = Status.DORMANT if number % 3 == 0 and number < 62 else Status.ACTIVE
        MemoryItemFactory.create(
            user=user, tier=tier, status=status, text=text, occurred_at=now - timedelta(hours=number)
        )
    pages = [browser.get(f"/me/memories?page={number}").content.decode() for number in (1, 2, 3, 4)]
    shown = [re.findall(r"Note \d\d of the shelf", page) for page in pages]
    assert [len(set(one)) for one in shown] == [30, 30, 5, 0]
    assert list(dict.fromkeys(text for one in shown for text in one)) == texts
    assert ["Show more" in page for page in pages] == [True, True, False, False]


def test_everything_is_deleted_by_a_word_of_the_page_s_language(user: EndUser) -> None:
    owner_of(user.organization, "olga")
    browser = visit(user)
    hebrew = {"Accept-Language": "he"}
    assert "<strong>מחק</strong>" in browser.get("/me/everything", headers=hebrew).content.decode()
    assert browser.post("/me/everything/delete", {"word": "nothing"}, headers=hebrew).status_code == 422
    assert browser.post("/me/everything/delete", {"word": "מחק"}, headers=hebrew).status_code == 200
