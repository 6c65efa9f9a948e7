"""The front door and the list of people."""

import re
from urllib.parse import quote

import pytest
from django.test import override_settings
from django.utils import timezone

from memory.console import people
from memory.facade import MemoryFacade
from memory.models import EndUser, Membership, Operator, Organization
from tests.factories import EndUserFactory
from tests.memory.console.conftest import Console


def test_the_front_door_leads_to_the_only_person(console: Console, user: EndUser, place: str) -> None:
    assert console.get("/console/").headers["Location"] == place


def test_the_front_door_leads_to_where_the_operator_was(
    console: Console, user: EndUser, other_user: EndUser, place: str
) -> None:
    assert console.get("/console/").headers["Location"] == "/console/people"
    console.get(f"{place}/memories")
    assert console.get("/console/").headers["Location"] == place


def test_only_the_operators_own_organisations_are_listed(
    console: Console, outsider: Console, user: EndUser, foreign_user: EndUser
) -> None:
    page = console.get("/console/people").content
    assert b"Acme" in page
    assert b"Umbra" not in page
    assert b"Umbra" in outsider.get("/console/people").content


@pytest.mark.parametrize("given", ["auth0|64f1", "ann+work@example.org"])
def test_an_id_of_a_login_service_leads_to_its_person(console: Console, organization: Organization, given: str) -> None:
    EndUserFactory.create(organization=organization, external_id=given)
    address = f"/console/acme/{quote(given, safe='+@')}"
    assert address.encode() in console.get("/console/people", {"q": given}).content
    assert console.get(address).status_code == 200
    assert console.get(f"{address}/memories").status_code == 200


def test_people_are_found_by_a_part_of_their_id(console: Console, user: EndUser, other_user: EndUser) -> None:
    for ask in (console.get, console.part):
        found = ask("/console/people?q=AN").content
        assert b"/console/acme/ann" in found
        assert b"/console/acme/ben" not in found
    assert b"Nobody by that name" in console.get("/console/people?q=zzz").content
    assert console.get("/console/people?q=%00").status_code == 200


def test_a_large_organisation_lists_the_most_recent(
    console: Console, organization: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "PEOPLE_LISTED", 3)
    EndUserFactory.create_batch(5, organization=organization)
    page = console.get("/console/people").content.decode()
    assert page.count('class="person"') == 3
    assert "5 people" in page


def test_empty_states_say_what_comes_next(console: Console, operator: Operator) -> None:
    assert b"Nobody is remembered yet" in console.get("/console/people").content
    Membership.objects.filter(operator=operator).delete()
    assert b"not a member of any organisation" in console.get("/console/people").content


def test_ids_of_every_allowed_letter_have_a_page(console: Console, organization: Organization) -> None:
    EndUserFactory.create(organization=organization, external_id="a.b_c@d:e-F9")
    assert console.get("/console/acme/a.b_c@d:e-F9").status_code == 200


def test_an_unknown_page_is_answered_in_style(console: Console, place: str) -> None:
    with override_settings(DEBUG=False):
        answer = console.get("/console/acme/nobody")
    assert answer.status_code == 404
    assert b"Page not found" in answer.content


def test_what_is_told_of_a_person_by_their_name_stands_with_what_they_say(
    console: Console, user: EndUser, place: str
) -> None:
    memory, now = MemoryFacade("key:test"), timezone.now()
    for statement in ("My name is Tamar Raz.", "I live in York.", "Tamar drinks no coffee."):
        fact = memory.state_fact(user, statement, now=now, said_at=now).fact
    assert fact is not None
    assert fact.subject_key == "tamar"
    page = console.get(f"{place}/facts").content.decode()
    assert re.findall(r"<h2[^>]*><bdi hx-disable>([^<]*)</bdi>", page) == ["Tamar Raz"]
    assert "3 facts" in page
    assert "You</" not in page


def test_an_owner_adds_a_person_and_erases_one_from_their_page(
    console: Console, governing: Console, organization: Organization, other_organization: Organization, place: str
) -> None:
    fields = {"organization": organization.pk, "external_id": "maya"}
    assert "Add a person" not in console.get("/console/people").content.decode()
    assert console.post("/console/people", fields).status_code == 422
    assert governing.post("/console/people", {**fields, "organization": other_organization.pk}).status_code == 422
    assert governing.post("/console/people", {**fields, "external_id": "a b"}).status_code == 422
    assert not EndUser.objects.filter(external_id="maya").exists()
    assert "Add a person" in governing.get("/console/people").content.decode()
    added = governing.post("/console/people", fields)
    assert added.headers["Location"] == "/console/acme/maya/connect"
    assert EndUser.objects.get(external_id="maya").organization == organization
    # Whoever is known is not told to be new, with nothing remembered of them.
    again = governing.post("/console/people", fields, follow=True)
    assert again.redirect_chain[0][0] == "/console/acme/maya"
    assert "maya is here already." in again.content.decode()
    assert f"{place}/erase" in governing.get(place).content.decode()
    assert f"{place}/erase" not in console.get(place).content.decode()
