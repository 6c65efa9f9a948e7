"""Pairs of facts that wait for a person: shown side by side, decided, counted."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import DecidedMatter, EndUser, Fact, FactReview
from memory.models.facts import FactState, ReviewKind
from tests.memory.console.conftest import Console

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def open_pair(user: EndUser, older: str = "My landlord is Mr Patel.", newer: str = "My vet is Dr Kaur.") -> FactReview:
    facts = [memory.state_fact(user, statement, now=timezone.now()).fact for statement in (older, newer)]
    assert facts[0] is not None
    assert facts[1] is not None
    with user_scope(user):
        pair = {"user": user, "fact": facts[1], "other": facts[0]}
        # The judge may have opened it already.
        return FactReview.objects.get_or_create(**pair, defaults={"kind": ReviewKind.UNSURE})[0]


def list_states(review: FactReview) -> tuple[str, str]:
    """Of the newer and the earlier."""
    with user_scope(review.user):
        newer, older = Fact.objects.get(pk=review.fact_id), Fact.objects.get(pk=review.other_id)
    return newer.state, older.state


def test_a_pair_stands_side_by_side_with_what_differs(console: Console, user: EndUser, place: str) -> None:
    open_pair(user, "My landlord is Dr Kaur of York.", "My vet is Dr Kaur of York.")
    page = console.get(f"{place}/facts/reviews").content.decode()
    assert "<del>landlord</del>" in page
    assert "<ins>vet</ins>" in page
    assert page.index("Earlier") < page.index("Newer")
    assert "Stated by hand" in page
    for decision in ("supersede", "merge", "keep_both", "reject"):
        assert f'value="{decision}"' in page


@pytest.mark.parametrize(
    ("decision", "newer", "older"),
    [
        ("supersede", FactState.ACTIVE, FactState.SUPERSEDED),
        ("merge", FactState.MERGED, FactState.ACTIVE),
        ("keep_both", FactState.ACTIVE, FactState.ACTIVE),
        ("reject", FactState.RETRACTED, FactState.ACTIVE),
    ],
)
def test_a_decision_is_carried_out_and_the_pair_leaves_the_list(
    console: Console, user: EndUser, place: str, decision: str, newer: str, older: str
) -> None:
    review = open_pair(user)
    path = f"{place}/facts/reviews/{review.pk}"
    page = console.post(path, {"decision": decision}, follow=True).content.decode()
    assert "Nothing to review" in page
    assert list_states(review) == (newer, older)
    with user_scope(user):
        assert FactReview.objects.get().actor == "operator:olga"
    # Whoever decides it again, from a page left open, changes nothing.
    for send in (console.post_part, console.post):
        said = send(path, {"decision": "reject"}).content + console.get(f"{place}/facts/reviews").content
        assert b"This pair was settled before; nothing changed." in said
    assert list_states(review) == (newer, older)


def test_in_place_the_pair_gives_way_to_what_was_decided(console: Console, user: EndUser, place: str) -> None:
    review = open_pair(user)
    part = console.post_part(f"{place}/facts/reviews/{review.pk}", {"decision": "supersede"}).content.decode()
    assert "<html" not in part
    assert "The newer one is current" in part
    with user_scope(user):
        assert find_undo(place) in part
    assert 'hx-swap-oob="true" hidden' in part


def test_the_chip_of_the_pairs_counts_what_is_left(console: Console, user: EndUser, place: str) -> None:
    review = open_pair(user)
    chip = '<a class="chip" href="/console/acme/ann/inbox/contradictions" aria-current="true">Pairs of facts'
    assert f'{chip} <span class="figures">1<' in console.get(f"{place}/facts/reviews").content.decode()
    part = console.post_part(f"{place}/facts/reviews/{review.pk}", {"decision": "supersede"}).content.decode()
    assert 'id="kinds" hx-swap-oob="true"' in part
    assert f'{chip} <span class="figures">0<' in part


def test_open_pairs_are_counted_in_the_navigation(console: Console, user: EndUser, place: str) -> None:
    assert 'class="waiting figures">0<' in console.get(f"{place}/memories").content.decode()
    open_pair(user)
    for page in ("", "/memories", "/facts"):
        assert 'class="waiting figures">1<' in console.get(place + page).content.decode()
    assert "1 pair to review" in console.get(f"{place}/facts").content.decode()


def test_an_unknown_decision_or_pair_is_not_found(
    console: Console, user: EndUser, other_user: EndUser, place: str
) -> None:
    review, theirs = open_pair(user), open_pair(other_user)
    assert console.post(f"{place}/facts/reviews/{review.pk}", {"decision": "shuffle"}).status_code == 404
    assert console.post(f"{place}/facts/reviews/{theirs.pk}", {"decision": "reject"}).status_code == 404
    assert list_states(theirs) == (FactState.ACTIVE, FactState.ACTIVE)
    assert console.get(f"{place}/facts/reviews/{review.pk}").status_code == 302


def test_it_asks_the_database_no_oftener_for_many_pairs_than_for_few(
    console: Console, user: EndUser, place: str
) -> None:
    asked = []
    for older, newer in (("I play the cello.", "My vet is Dr Kaur."), ("I am vegetarian.", "My bank is Halden.")):
        open_pair(user, older, newer)
        console.get(f"{place}/facts/reviews")
        with CaptureQueriesContext(connection) as queries:
            console.get(f"{place}/facts/reviews")
        asked.append(len(queries))
    assert asked[0] == asked[1]


def find_undo(place: str) -> str:
    return f"{place}/decisions/{DecidedMatter.objects.get().pk}/undo"


@pytest.mark.parametrize("decision", ["supersede", "merge", "keep_both", "reject"])
@pytest.mark.parametrize("in_place", [True, False])
def test_each_decision_is_taken_back_where_it_was_made_and_the_pair_waits_again(
    console: Console, user: EndUser, place: str, decision: str, *, in_place: bool
) -> None:
    review = open_pair(user)
    address = f"{place}/facts/reviews/{review.pk}"
    if in_place:
        said = console.post_part(address, {"decision": decision}).content.decode()
    else:
        said = console.post(address, {"decision": decision}, follow=True).content.decode()
    with user_scope(user):
        undo = find_undo(place)
    assert undo in said
    page = console.post(undo, follow=True).content.decode()
    assert "Taken back: it waits again." in page
    assert address in page
    assert list_states(review) == (FactState.ACTIVE, FactState.ACTIVE)


def test_all_pairs_are_decided_and_taken_back_by_one_press_each(console: Console, user: EndUser, place: str) -> None:
    reviews = [open_pair(user), open_pair(user, "I sing in a choir on Mondays.", "My bank is called Halden.")]
    assert "Decide all 2" in console.get(f"{place}/facts/reviews").content.decode()
    said = console.post(f"{place}/inbox/contradictions/all", {"decision": "reject"}, follow=True).content.decode()
    assert "2 decided." in said
    assert [list_states(review) for review in reviews] == [(FactState.RETRACTED, FactState.ACTIVE)] * 2
    # In the message and in the list; either takes back both.
    [undo, _listed] = re.findall(r'action="([^"]*/decisions/[^"]*)"', said)
    page = console.post(undo, {"together": "yes"}, follow=True).content.decode()
    assert "Taken back: 2 wait again." in page
    assert [list_states(review) for review in reviews] == [(FactState.ACTIVE, FactState.ACTIVE)] * 2
