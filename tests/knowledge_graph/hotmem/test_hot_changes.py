"""What a turn of the hot path says to have changed since another conversation, or to have ended."""

from typing import Any

import pytest
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.facts.queries import FactFilter
from memory.models import EndUser
from memory.models.facts import FactState
from tests.api_client import ApiClient

pytestmark = pytest.mark.django_db


def say(api: ApiClient, text: str, thread: str) -> dict[str, Any]:
    answer = api.post("hot/turn", {"thread_id": thread, "text": text})
    assert answer.status_code == 200, answer.content
    return answer.json()


def list_told(user: EndUser, state: FactState = FactState.ACTIVE) -> set[tuple[str, str, str]]:
    found = MemoryFacade().list_facts(user, FactFilter(state=state), now=timezone.now(), limit=50)
    return {(fact.subject_key, fact.relation, fact.object_key) for fact in found}


@pytest.mark.parametrize(
    ("first", "then", "old", "new"),
    [
        ("I live in Leeds", "I'm in York now, no longer in Leeds", "leeds", "york"),
        ("I live in Leeds", "im in york now, not leeds anymore", "leeds", "york"),
        ("ich wohne in Graz", "ich bin jetzt in Ulm, nicht mehr in Graz", "graz", "ulm"),
        ("ich wohne in Graz", "ich wohne in Ulm, nicht mehr in Graz", "graz", "ulm"),
        ("J'habite à Lyon", "Je suis à Nantes maintenant, plus à Lyon", "lyon", "nantes"),
        ("Vivo en Lugo", "Ahora estoy en Oviedo, ya no en Lugo", "lugo", "oviedo"),
        ("Abito a Pisa", "Ora sono a Lucca, non più a Pisa", "pisa", "lucca"),
        ("Moro em Braga", "Agora estou no Porto, já não em Braga", "braga", "porto"),
        ("אני גרה בחיפה", "אני עכשיו בירושלים, כבר לא בחיפה", "חיפה", "ירושלים"),
    ],
)
@pytest.mark.parametrize("thread", ["t", "another"])
def test_who_is_elsewhere_now_has_moved(
    api: ApiClient, user: EndUser, first: str, then: str, old: str, new: str, thread: str
) -> None:
    say(api, first, "t")
    moved = say(api, then, thread)
    assert [one["d"] for one in moved["superseded"]] == [old]
    assert moved["retracted"] == []
    assert list_told(user) == {("you", "lives_in", new)}
    assert list_told(user, FactState.SUPERSEDED) == {("you", "lives_in", old)}


def test_what_was_never_so_is_taken_back(api: ApiClient, user: EndUser) -> None:
    say(api, "I live in Leeds", "t")
    assert [one["d"] for one in say(api, "I live in York, not Leeds", "t")["retracted"]] == ["leeds"]
    assert list_told(user, FactState.RETRACTED) == {("you", "lives_in", "leeds")}
    # Who only is somewhere has not moved there.
    say(api, "we're in Malta for the weekend, not Gozo", "t")
    assert list_told(user) == {("you", "lives_in", "york")}
