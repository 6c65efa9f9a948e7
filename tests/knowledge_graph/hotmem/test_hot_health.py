"""Medicines and allergies of the hot path: the facts that an exchange of the same words tells, and no others."""

from typing import Any

import pytest
from django.utils import timezone

from memory.claims.health.cues import may_tell_of_health
from memory.facade import MemoryFacade
from memory.facts.queries import FactFilter
from memory.models import EndUser
from memory.models.facts import FactState
from outcomes.exchanges.profiling import profile_due_exchanges
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient
from tests.conftest import Clock

pytestmark = pytest.mark.django_db


def say(api: ApiClient, text: str, thread: str = "t") -> dict[str, Any]:
    answer = api.post("hot/turn", {"thread_id": thread, "text": text})
    assert answer.status_code == 200, answer.content
    return answer.json()


def list_told(user: EndUser) -> set[tuple[str, str, str]]:
    found = MemoryFacade().list_facts(user, FactFilter(state=FactState.ACTIVE), now=timezone.now(), limit=50)
    return {(fact.subject_key, fact.relation, fact.object_key) for fact in found}


TOLD = [
    ("I take ramipril 5 mg.", {("you", "takes", "ramipril"), ("ramipril", "takes_dose", "5 mg")}),
    ("I take sertraline.", {("you", "takes", "sertraline")}),
    ("Ich nehme Ramipril 5 mg.", {("you", "takes", "ramipril"), ("ramipril", "takes_dose", "5 mg")}),
    ("Je prends de la metformine 500 mg.", {("you", "takes", "metformine"), ("metformine", "takes_dose", "500 mg")}),
    ("Tomo omeprazol 20 mg.", {("you", "takes", "omeprazol"), ("omeprazol", "takes_dose", "20 mg")}),
    ("Prendo il Lasix 25 mg.", {("you", "takes", "lasix"), ("lasix", "takes_dose", "25 mg")}),
    ("I'm allergic to penicillin", {("you", "allergic_to", "penicillin")}),
    ("I can't do shellfish, it makes my throat close up", {("you", "allergic_to", "shellfish")}),
    ("Soy alérgica a la penicilina", {("you", "allergic_to", "penicilina")}),
    ("Sono allergica alla penicillina", {("you", "allergic_to", "penicillina")}),
]


@pytest.mark.parametrize(("said", "told"), TOLD)
def test_a_turn_tells_of_health_what_its_exchange_tells(
    api: ApiClient, user: EndUser, said: str, told: set[tuple[str, str, str]]
) -> None:
    answer = say(api, said)
    assert {(one["r"], one["status"]) for one in answer["facts"]} == {(relation, "stored") for _, relation, _ in told}
    assert list_told(user) == told
    exchange = {"user_message": said, "assistant_message": "Noted."}
    assert api.post("threads/t/exchanges", exchange).status_code == 201
    profile_due_exchanges(user)
    assert list_told(user) == told


def test_an_allergy_that_was_none_ends(api: ApiClient, user: EndUser) -> None:
    say(api, "I'm allergic to penicillin")
    say(api, "I live in Leeds.")
    say(api, "Turns out I'm not allergic to penicillin")
    assert list_told(user) == {("you", "lives_in", "leeds")}


@pytest.mark.parametrize("said", ["Should I take ramipril 5 mg?", "Maybe I'm allergic to penicillin", "I take the bus"])
def test_what_is_asked_or_guessed_is_no_state_of_health(api: ApiClient, user: EndUser, said: str) -> None:
    say(api, said)
    assert list_told(user) == set()


def test_a_dose_that_is_put_right_in_the_next_turn_is_known(api: ApiClient, user: EndUser) -> None:
    say(api, "I take ramipril 5 mg.")
    say(api, "sorry, 10")
    assert ("ramipril", "takes_dose", "10") in {(one[0], one[1], one[2].split()[0]) for one in list_told(user)}


UNTOLD = [
    "haha that was great, thanks",
    "Can you make the second paragraph shorter?",
    "We build with Bazel and I moved the tests to another folder.",
    "Was machst du am Wochenende, fährst du wieder an die Ostsee?",
    "Ayer fuimos al cine con Lucía y luego a cenar.",
    "On part en vacances demain, il fait beau à Grenoble.",
    "Domani porto la macchina dal meccanico, poi ci sentiamo.",
    "מחר אני נוסע לחיפה עם הילדים",
    "Amanhã vou de comboio para o Porto com a Rita.",
]


@pytest.mark.parametrize("said", UNTOLD)
def test_what_names_nothing_of_health_is_not_read_for_it(said: str) -> None:
    assert not may_tell_of_health(said)


@pytest.mark.parametrize("said", [*(said for said, _ in TOLD), "My tongue goes numb, kiwis make my tongue itch"])
def test_what_tells_of_health_is_read_for_it(said: str) -> None:
    assert may_tell_of_health(said)


@pytest.mark.usefixtures("services")
def test_a_fact_that_is_contradicted_is_told_as_doubted(api: ApiClient, user: EndUser, clock: Clock) -> None:
    for told in ("I live in Leeds.", "The post comes to Oak Street these days."):
        MemoryFacade().store_exchange(user, NewExchange(told[:9], told, "I see."), now=clock())
        profile_due_exchanges(user, now=clock())
        clock.advance(days=21)
    [pair] = api.get("facts/reviews").json()["items"]
    answered = say(api, "where do i live?")
    assert answered["bullets"][0]["text"].startswith("perhaps until 23 March 2026: You live in Leeds (said since: ")
    assert answered["bullets"][0]["text"] in answered["system_message"]
    api.post(f"facts/reviews/{pair['id']}", {"decision": "keep_both"})
    assert say(api, "where do i live?", "u")["bullets"][0]["text"] == "You live in Leeds"


@pytest.mark.parametrize(
    "asked", ["Suggest a dinner recipe", "Recomiéndame una cena", "מה לבשל לשבת?", "Dammi una ricetta per stasera"]
)
def test_what_limits_an_answer_is_laid_beside_a_request_that_shares_no_word_with_it(
    api: ApiClient, user: EndUser, asked: str
) -> None:
    for told in ("Soy vegetariana desde los 18", "I'm allergic to peanuts", "I live in Leeds"):
        say(api, told)

    assert {one["d"] for one in say(api, asked, "another")["bullets"]} == {"vegetariana", "peanuts"}
