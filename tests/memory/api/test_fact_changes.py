"""Facts over HTTP: confirming, rejecting, correcting and forgetting one, and settling pairs that contradict."""

from datetime import timedelta
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, FactEvidence, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import Status, Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.memory.api.fact_calls import NOBODY, listed, open_review, refused, state

pytestmark = pytest.mark.usefixtures("services")


def test_a_change_of_a_fact_that_was_changed_meanwhile_is_refused(api: ApiClient, clock: Clock) -> None:
    path = f"facts/{state(api, 'I work at the harbour.')['fact']['id']}"
    seen = api.get(path).headers["ETag"]
    clock.advance(days=1)
    changed = api.patch(path, {"statement": "I work at the old harbour."}, If_Match=seen)
    assert (changed.status_code, changed.headers["ETag"]) == (200, api.get(path).headers["ETag"])
    for late in (api.patch(path, {"valid_to": "2027-01-01"}, If_Match=seen), api.delete(path, **{"If-Match": seen})):
        assert (late.status_code, late.headers["ETag"]) == (412, changed.headers["ETag"])
    assert api.delete(path, **{"If-Match": changed.headers["ETag"]}).status_code == 204


def test_confirming_rejecting_and_restoring(api: ApiClient, user: EndUser, clock: Clock) -> None:
    fact = state(api, "I work at the harbour.")["fact"]
    path = f"facts/{fact['id']}"
    assert api.post(f"{path}/confirm").json()["confidence"] == 1.0
    clock.advance(days=200)
    assert api.get(path).json()["confidence"] == 1.0
    rejected = api.post(f"{path}/reject").json()
    assert (rejected["state"], listed(api)) == ("retracted", [])
    assert listed(api, as_of=clock().isoformat()) == []
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).get(pk=fact["bank_item_id"]).status == Status.ARCHIVED
    assert api.post(f"{path}/restore").json()["state"] == "active"
    assert listed(api) == ["I work at the harbour."]
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).get(pk=fact["bank_item_id"]).status == Status.ACTIVE
    kinds = [event["kind"] for event in api.get(path).json()["history"]]
    assert kinds == ["restored", "retracted", "confirmed", "added"]


def test_what_is_restored_beside_its_own_repetition_stays_closed(api: ApiClient, clock: Clock) -> None:
    fact = state(api, "I live in Leeds.")["fact"]
    assert api.post(f"facts/{fact['id']}/reject").json()["state"] == "retracted"
    clock.advance(days=1)
    again = state(api, "I live in leeds")["fact"]
    assert api.post(f"facts/{fact['id']}/restore").json()["state"] == "retracted"
    assert [row["id"] for row in api.get("facts").json()["items"]] == [again["id"]]


def test_a_reworded_fact_says_so_in_the_bank_too(api: ApiClient, user: EndUser, clock: Clock) -> None:
    fact = state(api, "I live in Leeds.")["fact"]
    revised = api.patch(f"facts/{fact['id']}", {"statement": "I live in Bath."}).json()
    assert (revised["statement"], revised["object"].casefold()) == ("I live in Bath.", "bath")
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).get(pk=revised["bank_item_id"]).text == "I live in Bath."
    assert listed(api) == ["I live in Bath."]


def test_a_fact_reworded_to_what_another_says_is_merged_into_it(api: ApiClient, clock: Clock) -> None:
    peanuts = state(api, "I am allergic to peanuts.")["fact"]
    eggs = state(api, "I am allergic to eggs.")["fact"]
    revised = api.patch(f"facts/{eggs['id']}", {"statement": "I am allergic to peanuts."})
    assert revised.status_code == 200, revised.content
    assert (revised.json()["state"], revised.json()["merged_into"]) == ("merged", peanuts["id"])
    assert listed(api) == ["I am allergic to peanuts."]
    assert api.get(f"facts/{peanuts['id']}").json()["evidence_count"] == 2


def test_a_validity_may_be_set_and_one_that_has_passed_ends_the_fact(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    fact = state(api, "I work at the harbour.")["fact"]
    path = f"facts/{fact['id']}"
    began = (clock() - timedelta(days=400)).isoformat()
    ahead = (clock() + timedelta(days=30)).isoformat()
    still = api.patch(path, {"valid_from": began, "valid_to": ahead}).json()
    assert (still["state"], still["valid_from"][:10]) == ("active", began[:10])
    assert listed(api, as_of=(clock() - timedelta(days=300)).isoformat()) == ["I work at the harbour."]
    assert listed(api, as_of=(clock() + timedelta(days=31)).isoformat()) == []
    assert listed(api, as_of=(clock() - timedelta(days=300)).date().isoformat()) == ["I work at the harbour."]
    assert refused(api.patch(path, {"valid_to": (clock() - timedelta(days=500)).isoformat()})) == ["valid_to"]
    ended = api.patch(path, {"valid_to": (clock() - timedelta(days=5)).isoformat()}).json()
    assert (ended["state"], listed(api)) == ("superseded", [])
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).get(pk=fact["bank_item_id"]).status == Status.ARCHIVED
    assert api.post(f"{path}/restore").json()["valid_to"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"statement": None}, "statement"),
        ({"statement": ""}, "statement"),
        ({"statement": "a\x00"}, "statement"),
        ({"statement": "a" * 40_000}, "statement"),
        ({"statement": "My password is the name of my dog"}, "statement"),
        ({"valid_from": "soon"}, "valid_from"),
        ({"valid_to": None}, "valid_to"),
        ({"valid_to": 5}, "valid_to"),
        ({"valid_from": "2026-03-02T00:00:00Z", "valid_to": "2026-03-01T00:00:00Z"}, "valid_to"),
        ({"state": "active"}, "state"),
        ({"confidence": 1}, "confidence"),
    ],
)
def test_a_correction_that_breaks_a_rule_is_refused_and_changes_nothing(
    api: ApiClient, body: dict[str, Any], field: str
) -> None:
    fact = state(api, "I live in Leeds.")["fact"]
    assert refused(api.patch(f"facts/{fact['id']}", body)) == [field]
    assert api.get(f"facts/{fact['id']}").json()["statement"] == "I live in Leeds."


def test_forgetting_removes_the_memory_that_says_nothing_else_and_leaves_what_says_more(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    """Of an imported line the whole text would be left, first in every search and in each export."""
    facade = MemoryFacade("key:test")
    line = NewMemory("My boat is called Tilly.", tier=Tier.HISTORY, thread_id="t", source={"kind": "import"})
    imported = facade.store(user, line, now=clock()).item
    said = facade.store_exchange(
        user, NewExchange("t", "My boat is called Tilly.", "A fine name."), now=clock()
    ).memory_id
    profiling.profile_due_exchanges(user, now=clock())
    with user_scope(user):
        fact = Fact.objects.for_user(user).active().get(statement="My boat is called Tilly.")
        kept = {"user": user, "fact": fact, "step": 0.1, "occurred_at": clock()}
        FactEvidence.objects.create(kind="import", ref_id=imported.pk, memory_id=imported.pk, **kept)
    assert api.delete(f"facts/{fact.pk}").status_code == 204
    assert api.get(f"memories/{imported.pk}").status_code == 404
    assert api.get(f"memories/{said}").status_code == 200
    assert [hit["memory_id"] for hit in api.post("search", {"query": "Tilly"}).json()["results"]] == [str(said)]


def test_what_is_forgotten_leaves_no_word_and_earlier_words_do_not_bring_it_back(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    said = clock().isoformat()
    fact = state(api, "I live in Leeds.")["fact"]
    clock.advance(days=1)
    assert api.delete(f"facts/{fact['id']}").status_code == 204
    assert api.delete(f"facts/{fact['id']}").status_code == 404
    assert listed(api) == listed(api, state="all") == []
    read = api.get(f"facts/{fact['id']}")
    assert "Leeds" not in read.content.decode()
    assert (read.json()["state"], read.json()["evidence"]) == ("forgotten", [])
    for action in ("confirm", "reject", "restore"):
        assert api.post(f"facts/{fact['id']}/{action}").status_code == 404
    assert api.patch(f"facts/{fact['id']}", {"statement": "I live in York."}).status_code == 404
    assert "Leeds" not in api.get("memories", {"q": "Leeds"}).content.decode()
    assert refused(api.post("facts", {"statement": "I live in Leeds.", "occurred_at": said})) == ["occurred_at"]
    clock.advance(minutes=1)
    assert state(api, "I live in Leeds.")["effect"] == "added"


@pytest.mark.parametrize(("decision", "closed"), [("supersede", "other"), ("reject", "fact")])
def test_a_decision_that_is_taken_back_leaves_the_pair_open_again(
    api: ApiClient, user: EndUser, clock: Clock, decision: str, closed: str
) -> None:
    older = state(api, "I am allergic to peanuts.")["fact"]
    clock.advance(days=1)
    newer = state(api, "I like to sail on Sundays.")["fact"]
    review = open_review(user, newer["id"], older["id"], clock)
    decided = api.post(f"facts/reviews/{review}", {"decision": decision}).json()
    assert api.get("facts/reviews").json()["items"] == []
    assert api.post(f"facts/{decided[closed]['id']}/restore").json()["state"] == "active"
    [pair] = api.get("facts/reviews").json()["items"]
    assert (pair["id"], pair["decision"]) == (review, None)


@pytest.mark.parametrize(
    ("decision", "newer_state", "older_state"),
    [
        ("merge", "merged", "active"),
        ("supersede", "active", "superseded"),
        ("keep_both", "active", "active"),
        ("reject", "retracted", "active"),
    ],
)
def test_a_decision_settles_a_pair(
    api: ApiClient, user: EndUser, clock: Clock, decision: str, newer_state: str, older_state: str
) -> None:
    older = state(api, "I am allergic to peanuts.")["fact"]
    clock.advance(days=1)
    newer = state(api, "I like to sail on Sundays.")["fact"]
    review = open_review(user, newer["id"], older["id"], clock)
    answer = api.post(f"facts/reviews/{review}", {"decision": decision})
    assert answer.status_code == 200, answer.content
    decided = answer.json()
    assert (decided["decision"], decided["fact"]["state"], decided["other"]["state"]) == (
        decision,
        newer_state,
        older_state,
    )
    assert api.get("facts/reviews").json()["items"] == []
    assert api.post(f"facts/reviews/{review}", {"decision": decision}).status_code == 200
    other = "reject" if decision != "reject" else "merge"
    conflict = api.post(f"facts/reviews/{review}", {"decision": other})
    assert (conflict.status_code, conflict.json()["code"]) == (409, "conflict")


def test_keeping_the_newer_dose_leaves_the_medicine(api: ApiClient, user: EndUser, clock: Clock) -> None:
    """Both stood in one bank item: archived with the dose, it took the medicine along as what never was so."""
    said = "dr okafor has started me on levothyroxine 25 mcg"
    MemoryFacade("key:test").store_exchange(user, NewExchange("told", said, "I see."), now=clock())
    profiling.profile_due_exchanges(user, now=clock())
    clock.advance(days=21)
    newer = state(api, "The recheck put the thyroid one at fifty.")["fact"]
    [dose] = api.get("facts", {"relation": "takes_dose"}).json()["items"]
    review = open_review(user, newer["id"], dose["id"], clock)
    assert api.post(f"facts/reviews/{review}", {"decision": "supersede"}).status_code == 200
    states = {row["relation"]: row["state"] for row in api.get("facts", {"state": "all"}).json()["items"]}
    assert (states["takes_dose"], states["takes"]) == ("superseded", "active")
    told = api.post("context", {"query": "what medication do i take?", "thread_id": "new"}).json()["injection"]
    assert "started me on levothyroxine 25 mcg. (" in told
    assert "put the thyroid one at fifty" in told
    bullets = api.post("hot/turn", {"thread_id": "hot", "text": "what medication do i take?"}).json()["bullets"]
    assert [one["text"] for one in bullets] == ["You take levothyroxine"]
    assert api.post(f"facts/{dose['id']}/restore").json()["state"] == "active"


def test_a_merge_is_taken_back_with_its_evidence(api: ApiClient, user: EndUser, clock: Clock) -> None:
    older = state(api, "My landlord is Mr Patel.")["fact"]
    newer = state(api, "My vet is Dr Kaur.")["fact"]
    review = open_review(user, newer["id"], older["id"], clock)
    assert api.post(f"facts/reviews/{review}", {"decision": "merge"}).status_code == 200
    assert len(api.get(f"facts/{older['id']}").json()["evidence"]) == 2
    restored = api.post(f"facts/{newer['id']}/restore").json()
    assert (restored["state"], restored["merged_into"], restored["evidence_count"]) == ("active", None, 1)
    kept = api.get(f"facts/{older['id']}").json()
    assert {name: kept[name] for name in older} == older
    assert [event["kind"] for event in kept["history"]][:2] == ["split", "merged"]
    assert [one["id"] for one in api.get("facts/reviews").json()["items"]] == [review]
    # Taken back twice is taken back once; deciding again merges again.
    assert api.post(f"facts/{newer['id']}/restore").json()["state"] == "active"
    assert api.post(f"facts/reviews/{review}", {"decision": "merge"}).status_code == 200
    assert api.get(f"facts/{newer['id']}").json()["state"] == "merged"


def test_reviews_come_in_pages_and_bad_decisions_are_refused(api: ApiClient, user: EndUser, clock: Clock) -> None:
    facts = [state(api, f"My {word} is called Ines.")["fact"]["id"] for word in ("boat", "dog", "sister", "car")]
    made = []
    for newer in facts[1:]:
        clock.advance(minutes=1)
        made.append(open_review(user, newer, facts[0], clock))
    first = api.get("facts/reviews", {"limit": "2"}).json()
    rest = api.get("facts/reviews", {"limit": "2", "cursor": first["next_cursor"]}).json()
    assert [row["id"] for row in (*first["items"], *rest["items"])] == made[::-1]
    assert rest["next_cursor"] is None
    assert refused(api.post(f"facts/reviews/{made[0]}", {"decision": "perhaps"})) == ["decision"]
    assert refused(api.post(f"facts/reviews/{made[0]}", {"decision": "merge", "why": "x"})) == ["why"]
    assert refused(api.post("facts/reviews/1", {"decision": "merge"})) == ["review_id"]
    assert api.post(f"facts/reviews/{NOBODY}", {"decision": "merge"}).status_code == 404
