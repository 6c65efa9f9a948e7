"""The vocabulary in the console: terms added and retired, suggestions decided, and nobody else's."""

import pytest
from django.utils import timezone

from memory.models import EndUser, Organization, TermSuggestion
from memory.vocabulary.editions import read_vocabulary
from memory.vocabulary.terms import TermKind
from tests.memory.console.conftest import Console, console_for, owner_of

pytestmark = pytest.mark.usefixtures("services")

PLACE = "/console/vocabulary"


@pytest.fixture
def console(governing: Console) -> Console:
    """An owner; what a member may do here is asked with the access to every page."""
    return governing


def list_topics(organization: Organization) -> tuple[str, ...]:
    return read_vocabulary(organization.pk).list_names(TermKind.TOPIC)


def test_terms_are_added_retired_and_told_of(console: Console, organization: Organization, nobody: Console) -> None:
    assert nobody.get(PLACE).status_code == 302
    assert "smalltalk" in console.get(PLACE).content.decode()
    console.post(PLACE, {"action": "preset", "preset": "support"})
    assert "refund" in list_topics(organization)
    added = {"action": "add", "kind": "topic", "name": "insurance", "aliases": "policy, <b>cover</b>"}
    assert console.post(PLACE, added).status_code == 302
    shown = console.get(PLACE).content.decode()
    assert "policy, &lt;b&gt;cover&lt;/b&gt;" in shown
    assert "<b>cover</b>" not in shown
    console.post(PLACE, {"action": "retire", "kind": "topic", "name": "insurance"})
    assert "insurance" not in list_topics(organization)
    console.post(PLACE, {"action": "use", "kind": "topic", "name": "insurance"})
    assert "insurance" in list_topics(organization)
    assert "topic insurance: in use again" in console.get(PLACE).content.decode()


@pytest.mark.parametrize("name", ["Two words", "smalltalk", ""])
def test_a_name_that_cannot_be_is_refused_at_its_field(console: Console, organization: Organization, name: str) -> None:
    refused = console.post(PLACE, {"action": "add", "kind": "topic", "name": name})
    assert refused.status_code == 422
    assert "errorlist" in refused.content.decode()
    assert read_vocabulary(organization.pk).version == 0


@pytest.mark.parametrize(
    "posted",
    [{}, {"action": "x"}, {"action": "approve", "suggestion": "x"}, {"action": "retire", "kind": "x", "name": "y"}],
)
def test_what_is_not_there_is_not_found(console: Console, user: EndUser, posted: dict[str, str]) -> None:
    assert console.post(PLACE, posted).status_code == 404


def test_a_suggestion_is_decided_by_its_own_organisation(
    console: Console, organization: Organization, other_organization: Organization
) -> None:
    now, outsider = timezone.now(), console_for(owner_of(other_organization, "otto"))
    names = ("umbrella", "harbour", "candle")
    rows = [
        TermSuggestion.objects.create(organization=organization, name=name, messages=7, first_at=now, last_at=now)
        for name in names
    ]
    assert all(name in console.get(PLACE).content.decode() for name in names)
    for posted in ({"action": "approve"}, {"action": "map", "topic": "travel"}, {"action": "reject"}):
        assert outsider.post(PLACE, {**posted, "suggestion": rows[0].pk}).status_code == 404
    assert outsider.get(f"{PLACE}?organization=acme").status_code == 404
    console.post(PLACE, {"action": "approve", "suggestion": rows[0].pk})
    console.post(PLACE, {"action": "map", "suggestion": rows[1].pk, "topic": "travel"})
    console.post(PLACE, {"action": "reject", "suggestion": rows[2].pk})
    states = dict(TermSuggestion.objects.values_list("name", "state"))
    assert states == {"umbrella": "approved", "harbour": "mapped", "candle": "rejected"}
    assert "umbrella" in list_topics(organization)
    again = console.post(PLACE, {"action": "approve", "suggestion": rows[2].pk}, follow=True)
    assert "This suggestion is rejected" in again.content.decode()
